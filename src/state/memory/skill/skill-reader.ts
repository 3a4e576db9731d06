/** Reads the head of a SKILL.md. Reports what is wrong with its line and ignores it; the rest still counts. */
import { basename, dirname } from "node:path";
import { isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument } from "yaml";
import { readBounded } from "../../../base/file/regular-file.ts";
import { HOOK_POINTS, type HookPoint, MEMORY_SCOPES, type Skill, type SkillProblem } from "./skill.ts";

const MAX_BYTES = 256 * 1024;
const MAX_HEAD_CHARS = 32_000;
const MAX_ENTRIES = 64;
const MAX_ENTRY_CHARS = 2_000;
const HEAD = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

export interface SkillReading {
	/** Undefined: no readable head. */
	readonly skill: Skill | undefined;
	readonly problems: readonly SkillProblem[];
}

export function readSkill(file: string): SkillReading {
	const reading = readBounded(file, MAX_BYTES);
	if (reading.kind !== "bytes") {
		return { skill: undefined, problems: [{ file, line: 1, message: "it cannot be read, or is larger than 256 kB" }] };
	}
	return parseSkill(file, reading.bytes.toString("utf8"));
}

export function parseSkill(file: string, text: string): SkillReading {
	const { fields, problems } = readHead(file, text);
	if (!fields) return { skill: undefined, problems };
	const name = fields.text("name") ?? basename(dirname(file));
	return {
		skill: {
			name,
			file,
			description: fields.text("description") ?? "",
			whenToUse: fields.text("when_to_use"),
			allowedTools: fields.texts("allowed_tools", "allowed-tools"),
			paths: fields.texts("paths") ?? [],
			hooks: fields.hooks(),
			memoryScope: fields.choice("memory_scope", MEMORY_SCOPES),
		},
		problems,
	};
}

export interface HeadReading {
	/** Undefined: no readable head. */
	readonly fields: HeadFields | undefined;
	/** The text behind the head. */
	readonly body: string;
	/** Also of fields that are read later. */
	readonly problems: readonly SkillProblem[];
}

/** The head of a file that a person wrote for an agent, between two lines of `---`. */
export function readHead(file: string, text: string): HeadReading {
	const [whole = "", head] = HEAD.exec(text) ?? [];
	const body = text.slice(whole.length);
	const problems: SkillProblem[] = [];
	const wrong = (line: number, message: string) => void problems.push({ file, line, message });
	if (head === undefined || head.length > MAX_HEAD_CHARS) {
		wrong(1, "it does not begin with a head between two lines of ---");
		return { fields: undefined, body, problems };
	}
	const lines = new LineCounter();
	// No tags and no exploding anchors: a skill may come from anywhere.
	const document = parseDocument(head, { lineCounter: lines, schema: "core", uniqueKeys: true, logLevel: "silent" });
	const lineAt = (offset: number | undefined) => (offset === undefined ? 2 : lines.linePos(offset).line + 1);
	// The first error causes the others. Its own line number does not count the first line of the file.
	for (const { pos, message } of document.errors.slice(0, 1))
		wrong(lineAt(pos[0]), (message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, ""));
	if (document.errors.length > 0 || !isMap(document.contents)) {
		if (document.errors.length === 0) wrong(2, "the head is not a list of names and values");
		return { fields: undefined, body, problems };
	}
	return { fields: new HeadFields(document.contents.items as readonly Pair[], lineAt, wrong), body, problems };
}

class HeadFields {
	readonly #pairs: readonly Pair[];
	readonly #lineAt: (offset: number | undefined) => number;
	readonly #wrong: (line: number, message: string) => void;

	constructor(
		pairs: readonly Pair[],
		lineAt: (offset: number | undefined) => number,
		wrong: (line: number, message: string) => void,
	) {
		this.#pairs = pairs;
		this.#lineAt = lineAt;
		this.#wrong = wrong;
	}

	text(name: string): string | undefined {
		const pair = this.#find(name);
		if (!pair) return undefined;
		const value = scalarText(pair.value);
		if (value === undefined) this.#tell(pair, `'${name}' must be a text`);
		return value?.slice(0, MAX_ENTRY_CHARS);
	}

	/** A list, or one text with names separated by commas or blanks. */
	texts(...names: readonly string[]): readonly string[] | undefined {
		for (const name of names) {
			const pair = this.#find(name);
			if (pair) return this.#list(pair, name);
		}
		return undefined;
	}

	choice<const Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
		const value = this.text(name);
		const found = choices.find((choice) => choice === value);
		const pair = this.#find(name);
		if (value !== undefined && !found && pair) this.#tell(pair, `'${name}' must be one of ${choices.join(", ")}`);
		return found;
	}

	hooks(): Skill["hooks"] {
		const pair = this.#find("hooks");
		if (!pair) return {};
		if (!isMap(pair.value)) {
			this.#tell(pair, `'hooks' must name commands for ${HOOK_POINTS.join(", ")}`);
			return {};
		}
		const hooks: Partial<Record<HookPoint, readonly string[]>> = {};
		for (const each of pair.value.items as readonly Pair[]) {
			const point = HOOK_POINTS.find((known) => known === scalarText(each.key));
			if (!point)
				this.#tell(each, `there is no hook '${scalarText(each.key) ?? "?"}'; there are ${HOOK_POINTS.join(", ")}`);
			else hooks[point] = this.#list(each, point, { whole: true }) ?? [];
		}
		return hooks;
	}

	#list(pair: Pair, name: string, { whole = false } = {}): readonly string[] | undefined {
		const { value } = pair;
		const line = scalarText(value);
		if (line !== undefined && isNumber(value)) {
			this.#tell(pair, `'${name}' must be a text or a list of at most ${MAX_ENTRIES} texts`);
			return undefined;
		}
		if (line !== undefined) return whole ? [line] : splitNames(line);
		const entries = isSeq(value) ? value.items.map(scalarText) : undefined;
		if (!entries || entries.some((entry) => entry === undefined) || entries.length > MAX_ENTRIES) {
			this.#tell(pair, `'${name}' must be a text or a list of at most ${MAX_ENTRIES} texts`);
			return undefined;
		}
		return entries as string[];
	}

	#find(name: string): Pair | undefined {
		return this.#pairs.find(({ key }) => scalarText(key) === name);
	}

	#tell(pair: Pair, message: string): void {
		const range = (pair.key as { readonly range?: readonly number[] } | null)?.range;
		this.#wrong(this.#lineAt(range?.[0]), message);
	}
}

function isNumber(node: unknown): boolean {
	return isScalar(node) && typeof node.value === "number";
}

function scalarText(node: unknown): string | undefined {
	if (!isScalar(node) || node.value === null || typeof node.value === "object") return undefined;
	const text = String(node.value);
	return text.length > MAX_ENTRY_CHARS ? undefined : text;
}

/** Splits `Read, Bash(git log:*) Grep` at commas and blanks, but not inside brackets. */
function splitNames(line: string): readonly string[] {
	return line.match(/[^\s,()]+(?:\([^)]*\))?/g) ?? [];
}
