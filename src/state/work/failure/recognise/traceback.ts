import { type Recogniser, recognised, splitClass, type UnitError, unitError } from "./types.ts";

/**
 * Python programs that died, and unittest. A traceback in a log proves nothing, so the status stays unknown unless
 * unittest prints its summary.
 */
export const traceback: Recogniser = {
	tool: "python",
	hint: /^(python|py)[\d.]*\b|\bunittest\b|\bmanage\.py\b/,
	sign: /File "|Ran \d/,
	recognise(lines) {
		const errors = readTracebacks(lines);
		const ran = lines.some((line) => /^Ran \d+ tests? in /.test(line));
		const verdict = ran ? lines.findLast((line) => /^(OK|FAILED)(?: \(.*\))?$/.test(line)) : undefined;
		if (errors.length === 0 && verdict === undefined) return null;
		const status = verdict === undefined ? "unknown" : verdict.startsWith("OK") ? "pass" : "fail";
		return recognised("python", { status, errors, whole: verdict !== undefined });
	},
};

const MAX_TRACEBACKS = 50;
const CHAINED = /^(During handling of the above exception|The above exception was the direct cause)/;
const LIBRARY = /(site|dist)-packages|\/lib\/python\d|<frozen|<string>/;

interface Frame {
	readonly file: string;
	readonly name: string | null;
}

function readTracebacks(lines: readonly string[]): UnitError[] {
	const errors: UnitError[] = [];
	let frames: Frame[] = [];
	let title: string | null = null;
	for (const [i, line] of lines.entries()) {
		if (errors.length >= MAX_TRACEBACKS) break;
		title = /^(?:FAIL|ERROR): (\S+ \(\S+\))/.exec(line)?.[1] ?? title;
		const [, file, name = null] = /^\s+File "(.+?)", line \d+(?:, in (.+))?$/.exec(line) ?? [];
		if (file !== undefined) frames.push({ file, name });
		else if (frames.length > 0 && /^[A-Za-z_]/.test(line)) {
			const next = lines.slice(i + 1, i + 8).find((one) => one.trim() !== "" && !/^\s/.test(one)) ?? "";
			if (!CHAINED.test(next)) errors.push(toError(frames, lines.slice(i, i + 6), title));
			frames = [];
			title = null;
		}
	}
	return errors;
}

function toError(frames: readonly Frame[], rest: readonly string[], title: string | null): UnitError {
	const own = frames.findLast((frame) => !LIBRARY.test(frame.file)) ?? frames.at(-1);
	const file = own?.file ?? null;
	const name = title ?? own?.name ?? null;
	const [first = "", ...others] = rest;
	const thrown = splitClass(first)?.class ?? /^([\w.]+)(?::|$)/.exec(first)?.[1]?.split(".").at(-1) ?? null;
	const text = thrown === null ? first : first.replace(/^[\w.]+(: )?/, "");
	const more = others.filter((line) => /^\s+\S/.test(line)).slice(0, 3);
	const unit = title ?? ([file?.split(/[\\/]/).at(-1), name].filter(Boolean).join(" in ") || "python");
	return unitError({ unit, file, name }, [text, ...more], { class: thrown, keyLines: 1 });
}
