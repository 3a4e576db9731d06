import { type Recogniser, recognised, splitClass, unitError } from "./types.ts";

/** A Python program that died. A traceback in a log proves nothing, so the status stays unknown. */
export const traceback: Recogniser = {
	tool: "python",
	hint: /^(python|py)[\d.]*\b/,
	recognise(lines) {
		const start = lines.findLastIndex((line) => /^Traceback \(most recent call last\):$/.test(line.trim()));
		const from = start >= 0 ? start : lines.findLastIndex((line) => /^ {2}File ".+", line \d+/.test(line));
		if (from < 0) return null;
		const frames: { file: string; name: string | null }[] = [];
		for (let i = from; i < lines.length; i++) {
			const frame = /^\s+File "(.+?)", line \d+(?:, in (.+))?$/.exec(lines[i]!);
			if (frame !== null) frames.push({ file: frame[1]!, name: frame[2] ?? null });
			else if (i > from && /^[A-Za-z_]/.test(lines[i]!)) return toRecognised(frames, lines.slice(i, i + 6));
		}
		return null;
	},
};

function toRecognised(frames: readonly { file: string; name: string | null }[], rest: readonly string[]) {
	const own =
		frames.findLast((frame) => !/(site|dist)-packages|\/lib\/python\d|<frozen|<string>/.test(frame.file)) ??
		frames.at(-1);
	const file = own?.file ?? null;
	const name = own?.name ?? null;
	const bare = /^([\w.]+)$/.exec(rest[0]!)?.[1];
	const head = splitClass(rest[0]!) ?? {
		class: bare ?? /^([\w.]+): /.exec(rest[0]!)?.[1] ?? null,
		text: rest[0]!.replace(/^[\w.]+(: )?/, ""),
	};
	const more = rest
		.slice(1)
		.filter((line) => /^\s+\S/.test(line))
		.slice(0, 3);
	const unit = [file?.split(/[\\/]/).at(-1), name].filter(Boolean).join(" in ") || "python";
	const error = unitError({ unit, file, name }, [head.text, ...more], { class: head.class, keyLines: 1 });
	return recognised("python", { status: "unknown", errors: [error] });
}
