/** The findings of a recogniser in a tool's output. Knows nothing of states or fingerprints. */

export interface UnitError {
	/** The failed unit, as the tool names it: `tests/a.py::test_x`, `src/a.ts TS2322`. */
	readonly unit: string;
	/** File, package or class of the unit. null: the output does not say. */
	readonly file: string | null;
	/** The unit's name inside the file. null: the file itself. */
	readonly name: string | null;
	/** Exception, diagnostic code or rule. */
	readonly class: string | null;
	/** The lines of the error, bounded. */
	readonly message: readonly string[];
	/** Distinguishes this error from others of the same unit, in its fingerprint. Default: the first line. */
	readonly key?: readonly string[];
}

export interface Recognised {
	readonly tool: string;
	readonly status: "pass" | "fail" | "unknown";
	/** Names of failed units in the order of the output, each once. */
	readonly failed: readonly string[];
	/** Names only if the output lists them. */
	readonly passed: { readonly count: number | null; readonly names: readonly string[] };
	/** Left out: skipped, ignored, to do, or expected to fail. `names` may be fewer than the total says. */
	readonly skipped: { readonly count: number; readonly names: readonly string[] };
	readonly errors: readonly UnitError[];
	readonly firstError: string | null;
	/** Everything ran, and the output names everything that failed: the rest has passed. */
	readonly whole: boolean;
}

export interface Recogniser {
	readonly tool: string;
	/** Does the command name this tool? Only a hint: scripts hide their tools. */
	readonly hint: RegExp;
	/** Matches every output that it recognises. Other outputs are not read line by line. */
	readonly sign: RegExp;
	/** Null: this is not the tool's output. */
	readonly recognise: (lines: readonly string[]) => Recognised | null;
}

export const MAX_ERRORS = 200;
const MAX_NAMES = 2_000;
const MAX_MESSAGE_LINES = 8;
const MAX_MESSAGE_CHARS = 400;

/** Builds the answer: removes duplicates, applies limits, picks the first error. */
export function recognised(
	tool: string,
	found: {
		readonly status: Recognised["status"];
		readonly errors?: readonly UnitError[];
		readonly failed?: readonly string[];
		readonly passed?: number | null;
		readonly passedNames?: Iterable<string>;
		readonly skipped?: number;
		readonly skippedNames?: readonly string[];
		readonly whole?: boolean;
	},
): Recognised {
	const errors = unique(found.errors ?? []);
	const failed = [...new Set([...errors.map((error) => error.unit), ...(found.failed ?? [])])];
	const first = errors[0];
	return {
		tool,
		status: found.status,
		failed: failed.slice(0, MAX_NAMES),
		passed: { count: found.passed ?? null, names: [...new Set(found.passedNames ?? [])].slice(0, MAX_NAMES) },
		skipped: { count: found.skipped ?? 0, names: (found.skippedNames ?? []).slice(0, MAX_NAMES) },
		errors: errors.slice(0, MAX_ERRORS),
		firstError: first === undefined ? null : [first.class, first.message[0]].filter(Boolean).join(": ") || first.unit,
		whole: (found.whole ?? false) && failed.length <= MAX_ERRORS,
	};
}

/** Builds an error from its lines. A class before the first line (`TypeError: …`) is split off. */
export function unitError(
	where: { readonly unit: string; readonly file?: string | null; readonly name?: string | null },
	lines: readonly string[],
	more: { readonly class?: string | null; readonly keyLines?: number; readonly key?: readonly string[] } = {},
): UnitError {
	const message = lines.filter((line) => line.trim() !== "").map((line) => line.trim().slice(0, MAX_MESSAGE_CHARS));
	const split = splitClass(message[0] ?? "");
	if (split !== null) message[0] = split.text;
	const kept = message.slice(0, MAX_MESSAGE_LINES);
	const key = more.key ?? (more.keyLines === undefined ? undefined : kept.slice(0, more.keyLines));
	return {
		unit: where.unit,
		file: where.file ?? null,
		name: where.name ?? null,
		class: more.class ?? split?.class ?? null,
		message: kept,
		...(key && { key }),
	};
}

/** Splits `pkg.SomeError [CODE]: text` into SomeError and text. */
export function splitClass(line: string): { readonly class: string; readonly text: string } | null {
	const at = line.indexOf(":");
	const head = (at < 0 ? line : line.slice(0, at)).trim();
	if (head.length > 150 || (at >= 0 && line[at + 1] !== " " && at + 1 < line.length)) return null;
	const match = /^(?:Uncaught )?((?:[\w$]{1,60}[.:\\]{1,2}){0,12})([A-Z][\w$]{0,80})(?: \[[A-Z_0-9]{1,60}\])?$/.exec(
		head,
	);
	const name = match?.[2] ?? "";
	if (!/(Error|Exception|Failure|Warning|Exit|Interrupt|Iteration|Fault|Failed|Violation)$/.test(name)) return null;
	return { class: name, text: at < 0 ? "" : line.slice(at + 1).trim() };
}

/** The number before a word in a summary: `3 failed` → 3. */
export function countOf(text: string, word: string): number {
	const match = new RegExp(`(\\d{1,9}) ${word}\\b`).exec(text);
	return match === null ? 0 : Number(match[1]);
}

/** True: an agent or a pipe left out a part of the output. */
export function isShortened(lines: readonly string[]): boolean {
	return lines.some((line) => /\b(?:truncated|omitted|output too large)\b|\bb-[0-9a-f]{12}\b/i.test(line));
}

/** The lines from `start` on, up to the first that ends them. */
export function linesUntil<Line>(lines: readonly Line[], start: number, isEnd: (line: Line) => boolean): Line[] {
	const found: Line[] = [];
	for (let at = start; at < lines.length; at++) {
		const line = lines[at] as Line;
		if (isEnd(line)) break;
		found.push(line);
	}
	return found;
}

function unique(errors: readonly UnitError[]): UnitError[] {
	const seen = new Set<string>();
	return errors.filter((error) => {
		const key = JSON.stringify([error.unit, error.class, error.key ?? error.message[0]]);
		if (seen.has(key)) return false;
		seen.add(key);
		return true;
	});
}
