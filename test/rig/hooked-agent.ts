/**
 * An agent at work in a folder of its own, by the hooks of its adapter: each call is judged before it runs and looked at after,
 * its messages are written where the program would write them, and its tools answer in the program's own shapes. Files and
 * shell commands are real.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Engine } from "../../src/engine.ts";

/** The folders of one project, and the settings that its agents run with. */
export interface HookedPlace {
	readonly folder: string;
	/** weft's data. */
	readonly home: string;
	/** The files that the program keeps of its own sessions. */
	readonly own: string;
	readonly env: NodeJS.ProcessEnv;
	/** How far the clock is ahead, ms. */
	ahead: number;
}

export interface Done {
	readonly action: "pass" | "block";
	readonly isError: boolean;
	/** All that the model gets: the reason, or the result with its notes. */
	readonly text: string;
	readonly notes: readonly string[];
}

/** A call in neutral words: `read`, `edit`, `write`, `bash` and `grep` as Pi has them, or any other tool. */
export interface ToolCall {
	readonly tool: string;
	readonly input: Record<string, unknown>;
	/** Runs after the check and before the tool. */
	readonly during?: (() => void) | undefined;
	/** What the tool says in place of what it found. */
	readonly says?: string | undefined;
	/** Runs after the tool and before the guard looks. */
	readonly afterwards?: (() => void) | undefined;
}

/** A call as the program names it. */
export interface OwnCall {
	readonly callId: string;
	readonly tool: string;
	readonly input: Record<string, unknown>;
	readonly of: ToolCall;
}

export interface OwnOutput {
	readonly text: string;
	readonly isError: boolean;
	/** In the program's own shape. */
	readonly details?: unknown;
}

export type OwnVerdict = { readonly block: string } | { readonly input?: Record<string, unknown> | undefined };

/** What not every agent does. */
export type AgentTrait =
	/** Looks at the disk before each request. */
	| "looks before requests"
	/** Its edit tool gives all lines of a file one end. */
	| "unifies line ends"
	/** Edits a piece of a line; else whole lines. */
	| "edits pieces"
	/** Reads by a tool of its own; else by commands, never beside a change. */
	| "reads by a tool"
	/** Its hooks see an edit that failed. */
	| "shows failed edits"
	/** One process sees all calls: it has the texts of files that a command printed or made. */
	| "remembers texts"
	/** weft can replace what a read showed. */
	| "outlines reads";

interface TextEdit {
	readonly oldText: string;
	readonly newText: string;
	readonly replaceAll?: boolean;
}

let sessions = 0;

export abstract class HookedAgent {
	readonly place: HookedPlace;
	readonly cwd: string;
	readonly number = ++sessions;
	/** What the model has got, in order. */
	readonly got: Done[] = [];
	/** The texts of the folder after the newest call: what a model believes that it edits. */
	#believed = new Map<string, string>();
	#calls = 0;

	constructor(place: HookedPlace, cwd: string) {
		this.place = place;
		this.cwd = cwd;
	}

	abstract readonly traits: ReadonlySet<AgentTrait>;
	/** The engine behind the hooks. */
	abstract readonly engine: Engine;
	/** The session's name in the log. */
	abstract readonly session: string;
	/** As when the host is started again: nothing is in memory. */
	abstract restart(): Promise<void>;
	abstract close(): Promise<void>;
	/** A second agent of the same program in the same folder. */
	abstract another(): Promise<HookedAgent>;
	abstract user(text: string): Promise<void>;

	protected abstract own(call: ToolCall): Pick<OwnCall, "tool" | "input">;
	protected abstract run(call: OwnCall): OwnOutput;
	protected abstract before(call: OwnCall): Promise<OwnVerdict>;
	/** The result as the model gets it, notes included. */
	protected abstract after(call: OwnCall, output: OwnOutput): Promise<string>;
	protected abstract sayCalls(calls: readonly OwnCall[]): Promise<void>;
	protected abstract sayResult(call: OwnCall, output: OwnOutput): Promise<void>;

	/** True: an edit of the program replaces one text. */
	protected readonly isOneEditACall: boolean = false;

	get ahead(): number {
		return this.place.ahead;
	}

	set ahead(ms: number) {
		this.place.ahead = ms;
	}

	now(): number {
		return Date.now() + this.place.ahead;
	}

	path(name: string): string {
		return resolve(this.cwd, name);
	}

	/** Somebody else writes a file. */
	put(name: string, text: string): void {
		mkdirSync(dirname(this.path(name)), { recursive: true });
		writeFileSync(this.path(name), text);
	}

	text(name: string): string {
		return readFileSync(this.path(name), "utf8");
	}

	read(path: string, range: { offset?: number; limit?: number } = {}): Promise<Done> {
		return this.call({ tool: "read", input: { path, ...range } });
	}

	edit(path: string, oldText: string, newText: string): Promise<Done> {
		return this.call({ tool: "edit", input: { path, edits: [{ oldText, newText }] } });
	}

	write(path: string, content: string): Promise<Done> {
		return this.call({ tool: "write", input: { path, content } });
	}

	bash(command: string, during?: () => void): Promise<Done> {
		return this.call({ tool: "bash", input: { command }, during });
	}

	/** A request is about to leave. Only Pi asks then what changed since the last call. */
	async request(): Promise<void> {}

	async call(call: ToolCall): Promise<Done> {
		const edits = editsOf(call);
		const calls =
			this.isOneEditACall && edits.length > 1
				? edits.map((edit) => ({ ...call, input: { ...call.input, edits: [edit] } }))
				: [call];
		return (await this.batch(calls)).at(-1)!;
	}

	/** Calls of one answer: all are judged, then they run, the results come in the order given. */
	async batch(calls: readonly ToolCall[], finish: readonly number[] = calls.map((_, at) => at)): Promise<Done[]> {
		const made = calls.map((of): OwnCall => ({ ...this.own(of), of, callId: `c${this.number}-${++this.#calls}` }));
		await this.sayCalls(made);
		const verdicts: OwnVerdict[] = [];
		for (const call of made) verdicts.push(await this.before(call));
		const ran = made.map((call, at): OwnOutput => {
			const verdict = verdicts[at]!;
			if ("block" in verdict) return { text: verdict.block, isError: true };
			call.of.during?.();
			const output = this.#runOrFail({ ...call, input: verdict.input ?? call.input });
			call.of.afterwards?.();
			return output;
		});
		const done = new Map<number, Done>();
		for (const at of finish) {
			const call = made[at]!;
			let output = ran[at]!;
			if ("block" in verdicts[at]!) done.set(at, { action: "block", isError: true, text: output.text, notes: [] });
			else {
				const text = await this.after(call, output);
				done.set(at, { action: "pass", isError: output.isError, text, notes: notesIn(text) });
				output = { ...output, text };
			}
			await this.sayResult(call, output);
		}
		const all = made.map((_, at) => done.get(at)!);
		this.got.push(...all);
		this.#believed = textsIn(this.cwd);
		return all;
	}

	#runOrFail(call: OwnCall): OwnOutput {
		try {
			return this.run(call);
		} catch (error) {
			return { text: String(error), isError: true };
		}
	}

	/** What the model takes for the text of a file. */
	protected believed(path: string): string | undefined {
		return this.#believed.get(this.path(path));
	}
}

/** Each note without its mark. */
function notesIn(text: string): string[] {
	return text.split(/(?:^|\n\n)\[weft\] /).slice(1);
}

export function editsOf({ tool, input }: ToolCall): readonly TextEdit[] {
	return tool === "edit" ? ((input["edits"] as TextEdit[] | undefined) ?? []) : [];
}

export function shell(command: string, cwd: string): { stdout: string; stderr: string; status: number } {
	const { stdout, stderr, status } = spawnSync("sh", ["-c", command], { cwd, encoding: "utf8" });
	return { stdout, stderr, status: status ?? 1 };
}

/** The lines that a read with these bounds shows. */
export function linesOf(text: string, { offset = 1, limit }: { offset?: number; limit?: number }) {
	const lines = text.split("\n");
	const end = limit === undefined ? lines.length : Math.min(lines.length, offset - 1 + limit);
	return { lines: lines.slice(offset - 1, end), offset, end, total: lines.length };
}

/** Throws if an old text does not occur exactly once. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
	return edits.reduce((now, { oldText, newText, replaceAll = false }) => {
		const parts = now.split(oldText);
		if (parts.length < 2 || (parts.length > 2 && !replaceAll)) throw new Error("oldText must occur once.");
		return parts.join(newText);
	}, text);
}

/** Lines with a pattern, as `grep -n` shows them. */
export function matches(text: string, pattern: string): { readonly at: number; readonly line: string }[] {
	return text.split("\n").flatMap((line, at) => (line.includes(pattern) ? [{ at: at + 1, line }] : []));
}

function textsIn(folder: string): Map<string, string> {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true });
	const texts = new Map<string, string>();
	for (const file of files) {
		if (!file.isFile() || file.parentPath.includes("/.git")) continue;
		const path = join(file.parentPath, file.name);
		texts.set(path, readFileSync(path, "utf8"));
	}
	return texts;
}
