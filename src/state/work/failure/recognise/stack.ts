import { type Recogniser, recognised, splitClass, type UnitError, unitError } from "./types.ts";

/** Errors with a stack of `at …` lines: node, bun, deno, mocha, Java. A stack alone proves no failure. */
export const stack: Recogniser = {
	tool: "stack",
	hint: /^(node|bun|deno|tsx|ts-node|java|mocha|playwright)\b/,
	sign: /^\s+at \S/m,
	recognise(lines) {
		const errors: UnitError[] = [];
		for (let i = 0; i < lines.length && errors.length < MAX_STACKS; i++) {
			const head = headOf(lines[i] ?? "");
			if (head === null) continue;
			const rest = lines.slice(i + 1, i + 40);
			const first = rest.findIndex(isFrame);
			const title = titleAbove(lines, i);
			const another = rest.slice(0, Math.max(0, first)).some((line) => headOf(line) !== null);
			if (first < 0 || (another && title === null)) continue;
			errors.push(toError(head, rest, first, title));
			i += first;
		}
		return errors.length === 0 ? null : recognised("stack", { status: "unknown", errors });
	},
};

const MAX_STACKS = 50;
const LIBRARY = /node_modules|^node:|^internal\/|^java\.|^jdk\.|<anonymous>$|^native$/;
const UNCAUGHT = /^(Uncaught |Unhandled rejection |Exception in thread "[^"]{0,80}" |error: |\[cause\]: )/;

function toError(
	head: { class: string; text: string },
	rest: readonly string[],
	first: number,
	title: string | null,
): UnitError {
	const frames = rest.slice(first).filter(isFrame).map(readFrame);
	const own = frames.find((frame) => !LIBRARY.test(frame.file ?? "")) ?? frames[0] ?? { name: null, file: null };
	const file = own.file?.split(/[\\/]/).at(-1) ?? null;
	const unit = title ?? ([file, own.name].filter(Boolean).join(" in ") || "program");
	const more = rest.slice(0, first).filter((line) => !/^\s*(Require stack:|- |\d* ?\|)/.test(line));
	return unitError({ unit, file: own.file, name: title ?? own.name }, [head.text, ...more], {
		class: head.class,
		keyLines: 4,
	});
}

function headOf(line: string): { class: string; text: string } | null {
	const bare = line.trim().replace(UNCAUGHT, "");
	return splitClass(bare);
}

/** The title of a numbered test: `  1) Cart` and the lines below it. */
function titleAbove(lines: readonly string[], at: number): string | null {
	for (let i = at - 1; i >= Math.max(0, at - 6); i--) {
		const title = /^\s*\d+\) (.+)$/.exec(lines[i] ?? "")?.[1];
		if (title === undefined) continue;
		const more = lines.slice(i + 1, at).filter((line) => line.trim() !== "");
		return [title, ...more].map((line) => line.trim().replace(/[:─\s]+$/, "")).join(" > ");
	}
	return null;
}

function isFrame(line: string): boolean {
	return /^\s+at \S/.test(line);
}

function readFrame(line: string): { name: string | null; file: string | null } {
	const text = line
		.trim()
		.slice(3)
		.replace(/^async /, "")
		.replace(/ \{$/, "");
	const called = /^(.*?) ?\(([^()]*)\)$/.exec(text);
	const place = (called?.[2] ?? text).replace(/^file:\/\//, "").replace(/(:\d+){1,2}$/, "");
	const name = called?.[1]?.replace(/ \[as \w+\]$/, "") ?? null;
	return { name: name === "" ? null : name, file: place };
}
