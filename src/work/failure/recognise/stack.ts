import { type Recogniser, recognised, splitClass, unitError } from "./types.ts";

/** An error with a stack of `at …` lines: node, bun, deno, Java. Proves no failure by itself. */
export const stack: Recogniser = {
	tool: "stack",
	hint: /^(node|bun|deno|tsx|ts-node|java)\b/,
	recognise(lines) {
		const at = lines.findIndex((line, i) => headOf(line) !== null && lines.slice(i + 1, i + 12).some(isFrame));
		if (at < 0) return null;
		const head = headOf(lines[at]!)!;
		const rest = lines.slice(at + 1, at + 60);
		const first = rest.findIndex(isFrame);
		const frames = rest.slice(first).filter(isFrame).map(readFrame);
		const own = frames.find((frame) => !LIBRARY.test(frame.file ?? "")) ?? frames[0] ?? { name: null, file: null };
		const file = own.file?.split(/[\\/]/).at(-1) ?? null;
		const unit = [file, own.name].filter(Boolean).join(" in ") || "program";
		const more = rest.slice(0, first).filter((line) => !/^(Require stack:|- )/.test(line));
		const error = unitError({ unit, file: own.file, name: own.name }, [head.text, ...more], {
			class: head.class,
			keyLines: 2,
		});
		return recognised("stack", { status: "unknown", errors: [error] });
	},
};

const LIBRARY = /node_modules|^node:|^internal\/|^java\.|^jdk\.|<anonymous>$|^native$/;

function headOf(line: string): { class: string; text: string } | null {
	const bare = line
		.trim()
		.replace(/^(Uncaught |Unhandled rejection |Exception in thread "[^"]{0,80}" |error: |\[cause\]: )/i, "");
	const split = splitClass(bare);
	if (split !== null) return split;
	const plain = /^(Error|AggregateError)(?: \[\w+\])?: (.*)$/.exec(bare);
	return plain === null ? null : { class: plain[1]!, text: plain[2]! };
}

function isFrame(line: string): boolean {
	return /^\s+at \S/.test(line);
}

function readFrame(line: string): { name: string | null; file: string | null } {
	const text = line
		.trim()
		.slice(3)
		.replace(/^async /, "");
	const called = /^(.*?) ?\(([^()]*)\)$/.exec(text);
	const place = (called?.[2] ?? text).replace(/^file:\/\//, "").replace(/(:\d+){1,2}$/, "");
	const name = called?.[1]?.replace(/ \[as \w+\]$/, "") ?? null;
	return { name: name === "" ? null : name, file: place };
}
