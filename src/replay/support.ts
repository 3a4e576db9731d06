/**
 * Support: how much of what an action relies on did the context contain? Three kinds of text are looked for, each only if
 * an earlier message had it: the old text of an edit, the paths of a call, and the distinctive terms of the answer's text
 * and arguments. A text that is present may go unused, but a text that is absent cannot be used.
 */
import { asList, asObject, asText, type JsonObject } from "../base/json/read.ts";
import { type FileChange, patchedBy } from "../state/session/file-change.ts";
import type { RecordedAnswer } from "./recording.ts";

export interface Demand {
	readonly edits: readonly OldText[];
	readonly paths: readonly string[];
	readonly terms: readonly string[];
}

/** The text that an edit replaces, and its file. */
export interface OldText {
	readonly text: string;
	readonly path: string | undefined;
}

type Count = [held: number, of: number];
export type SupportCount = { readonly [Kind in keyof Demand]: Count };

/**
 * How hosts number the lines of a file that they show: `   12→text`, `12⇥text`, `12: text`, `12 | text`, `00012| text`.
 */
const LINE_NUMBER = /^[ \t]*\d+(?:[→\t]|: | ?\| ?)/gm;

const LETTER = "[\\p{L}\\p{N}_]";
const NAME = "[\\p{L}\\p{N}_$]";

/** Words that prose does not have: names joined by . / : or -, camelCase, snake_case, PascalCase, words with a digit. */
const TERM = new RegExp(
	[
		`[A-Za-z_$]${NAME}*(?:[./:-]${NAME}+)+`,
		`[a-z]+[A-Z]${LETTER}*`,
		`[A-Za-z]+_${LETTER}+`,
		`[A-Z][a-z]+[A-Z]${LETTER}*`,
		`${LETTER}*\\p{Nd}${LETTER}*[A-Za-z]${LETTER}*`,
	].join("|"),
	"gu",
);

/** Everything that the action names; the caller keeps what an earlier message had. */
export function demandOf(answer: Pick<RecordedAnswer, "calls" | "said">): Demand {
	const inputs = answer.calls.map((call) => asObject(call.input) ?? {});
	return {
		edits: inputs.flatMap(oldTexts),
		paths: [...new Set(inputs.flatMap(pathsOf))],
		terms: [...termsOf(answer.said)],
	};
}

export function termsOf(text: string): Set<string> {
	return new Set(text.match(TERM) ?? []);
}

/** A text to search in, with its derived forms computed once. */
export class SearchableText {
	readonly text: string;
	#plain: string | undefined;
	#terms: ReadonlySet<string> | undefined;
	#squeezed: string | undefined;
	#lines: ReadonlySet<string> | undefined;

	constructor(text: string) {
		this.text = text;
	}

	/** Without the host's line numbers, which an agent does not copy. */
	get plain(): string {
		this.#plain ??= this.text.replace(LINE_NUMBER, "");
		return this.#plain;
	}

	get terms(): ReadonlySet<string> {
		this.#terms ??= termsOf(this.text);
		return this.#terms;
	}

	holdsEdit(old: string): boolean {
		return this.plain.includes(old) || this.text.includes(old);
	}

	/** The same, whatever the white space: agents and tools show tabs, indents and line ends in their own way. */
	holdsWords(old: string): boolean {
		this.#squeezed ??= squeeze(this.plain);
		return this.#squeezed.includes(squeeze(old));
	}

	/** Its lines without indents. */
	get lines(): ReadonlySet<string> {
		this.#lines ??= new Set(this.plain.split("\n").map((line) => line.trim()));
		return this.#lines;
	}
}

function squeeze(text: string): string {
	return text.replace(/\s+/g, " ").trim();
}

export function emptyCount(): SupportCount {
	return { edits: [0, 0], paths: [0, 0], terms: [0, 0] };
}

/** Counts what these texts contain, searching the newest first; returns the edits that none of them contains. */
export function countSupport(into: SupportCount, demand: Demand, texts: readonly SearchableText[]): OldText[] {
	const newestHas = (has: (text: SearchableText) => boolean) => texts.findLast(has) !== undefined;
	const missed = demand.edits.filter(
		({ text }) => !newestHas((each) => each.holdsEdit(text)) && !newestHas((each) => each.holdsWords(text)),
	);
	const paths = demand.paths.filter((path) => newestHas(({ text }) => text.includes(path)));
	const terms = demand.terms.filter((term) => newestHas((each) => each.terms.has(term)));
	add(into.edits, demand.edits.length - missed.length, demand.edits.length);
	add(into.paths, paths.length, demand.paths.length);
	add(into.terms, terms.length, demand.terms.length);
	return missed;
}

/** True: every line of the text is somewhere in these texts, though not in one piece. */
export function holdsLines(old: string, texts: readonly SearchableText[]): boolean {
	const wanted = old.split("\n").map((line) => line.trim());
	return wanted.every((line) => line === "" || texts.some(({ lines }) => lines.has(line)));
}

function add(count: Count, held: number, of: number): void {
	count[0] += held;
	count[1] += of;
}

/** null where there was nothing to look for. */
export function shareOf([held, of]: Readonly<Count>): number | null {
	return of === 0 ? null : held / of;
}

/** The names that the tools of all hosts use. */
const PATHS = ["path", "file_path", "filePath", "filepath", "absolute_path", "notebook_path"];
const OLD_TEXTS = ["oldText", "oldString", "old_string", "old_str", "old_text"];

function pathsOf(input: JsonObject): string[] {
	const listed = asList(input["files"]).map((file) => asText(asObject(file)?.["path"]) ?? "");
	const named = PATHS.map((key) => asText(input[key]) ?? "");
	return [...named, ...listed, ...patchedBy(input).map(({ path }) => path)].filter((path) => path !== "");
}

function oldTexts(input: JsonObject): OldText[] {
	const path = PATHS.map((key) => asText(input[key])).find(Boolean);
	const edits = [input, ...asList(input["edits"]).map((edit) => asObject(edit) ?? {})];
	const texts = edits.flatMap((edit) => OLD_TEXTS.flatMap((key) => asText(edit[key]) ?? []));
	const replaced = texts.map((text) => ({ text, path }));
	return [...replaced, ...patchedBy(input).flatMap(oldTextsIn)].filter(({ text }) => text.trim() !== "");
}

/** The text that a patch expects in the file: the lines it removes and the context around them. */
function oldTextsIn({ path, kind, hunks = [] }: FileChange): OldText[] {
	if (kind !== "edit") return [];
	return hunks.map(({ lines }) => {
		const old = lines.filter((line) => !line.startsWith("+")).map((line) => line.slice(1));
		return { text: old.join("\n"), path };
	});
}
