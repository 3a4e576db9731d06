/**
 * Agents of one engine, each in a folder of its own: every call goes through `engine.judge` and `engine.observe`, and its
 * messages are recorded, as a host does it. Files and shell commands are real.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { PiTranslator } from "../../src/agent/pi/translate.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { withNotes } from "../../src/message/note.ts";
import { runTool, type ToolOutput } from "./guarded-session.ts";
import { removeFolder, temporaryFolder } from "./temporary-folder.ts";

export interface EngineProjectOptions {
	readonly env?: NodeJS.ProcessEnv | undefined;
	/** Each hook is a process of its own: nothing is in memory when a result comes. */
	readonly isPerHook?: boolean | undefined;
}

export class EngineProject {
	readonly root = temporaryFolder();
	readonly options: EngineProjectOptions;
	/** How far the clock is ahead, ms. */
	ahead = 0;
	#engine: Engine;
	#folders = 0;

	constructor(options: EngineProjectOptions = {}) {
		this.options = options;
		this.#engine = this.#open();
	}

	get engine(): Engine {
		return this.#engine;
	}

	/** As when the host is started again: nothing is in memory. */
	restart(): void {
		this.#engine.close();
		this.#engine = this.#open();
	}

	folder(): string {
		const folder = join(this.root, "work", `p${++this.#folders}`);
		mkdirSync(folder, { recursive: true });
		return folder;
	}

	[Symbol.dispose](): void {
		this.#engine.close();
		removeFolder(this.root);
	}

	#open(): Engine {
		const now = () => Date.now() + this.ahead;
		mkdirSync(join(this.root, "work"), { recursive: true });
		const { env = {} } = this.options;
		const powers = { canChangeInput: false, unifiesLineEnds: true };
		return openEngine({ cwd: join(this.root, "work"), host: "pi", home: join(this.root, "home"), env, powers, now });
	}
}

export interface Done {
	readonly action: "pass" | "block";
	readonly isError: boolean;
	/** All that the model gets: the reason, or the result with its notes. */
	readonly text: string;
	readonly notes: readonly string[];
}

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

let sessions = 0;

export class EngineAgent {
	readonly session = `m${++sessions}`;
	readonly project: EngineProject;
	/** What the model has got, in order. */
	readonly got: Done[] = [];
	readonly #cwd: string;
	readonly #translator: PiTranslator;
	#entries = 0;

	constructor(project: EngineProject, cwd: string) {
		this.project = project;
		this.#cwd = cwd;
		this.#translator = new PiTranslator({ id: this.session, cwd, version: 3 });
		const header = { type: "session", version: 3, id: this.session, timestamp: new Date().toISOString(), cwd };
		project.engine.record(this.#translator.translate(header, JSON.stringify(header), "session"));
	}

	path(name: string): string {
		return resolve(this.#cwd, name);
	}

	/** Somebody else writes a file. */
	put(name: string, text: string): void {
		mkdirSync(dirname(this.path(name)), { recursive: true });
		writeFileSync(this.path(name), text);
	}

	text(name: string): string {
		return readFileSync(this.path(name), "utf8");
	}

	read(path: string, range: { offset?: number; limit?: number } = {}): Done {
		return this.call({ tool: "read", input: { path, ...range } });
	}

	edit(path: string, oldText: string, newText: string): Done {
		return this.call({ tool: "edit", input: { path, edits: [{ oldText, newText }] } });
	}

	write(path: string, content: string): Done {
		return this.call({ tool: "write", input: { path, content } });
	}

	bash(command: string, during?: () => void): Done {
		return this.call({ tool: "bash", input: { command }, during });
	}

	/** A request is about to leave: the host asks what changed since the last call. */
	request(): void {
		this.project.engine.observe({ ...this.#of(), tool: "", callId: "", input: {} });
	}

	user(text: string): string {
		return this.#say({ role: "user", content: [{ type: "text", text }] });
	}

	call(call: ToolCall): Done {
		return this.batch([call])[0]!;
	}

	/** Calls of one answer: all are judged, then they run, the results come in the order given. */
	batch(calls: readonly ToolCall[], finish: readonly number[] = calls.map((_, at) => at)): Done[] {
		const { isPerHook } = this.project.options;
		const startedAt = Date.now() + this.project.ahead;
		const made = calls.map((call) => ({ ...call, callId: `c${++this.#entries}` }));
		const content = made.map(({ callId, tool, input }) => ({
			type: "toolCall",
			id: callId,
			name: tool,
			arguments: input,
		}));
		this.#say({ role: "assistant", content });
		const outcomes = made.map(({ callId, tool, input }) => {
			if (isPerHook) this.project.restart();
			return this.project.engine.judge({ ...this.#of(), tool, callId, input });
		});
		const ran = made.map((call, at): ToolOutput => {
			const outcome = outcomes[at]!;
			if (outcome.action === "block") return { text: outcome.reason, isError: true };
			call.during?.();
			const output = runTool(call.tool, outcome.input ?? call.input, this.#cwd);
			call.afterwards?.();
			return call.says === undefined ? output : { text: call.says, isError: false };
		});
		const done = new Map<number, Done>();
		for (const at of finish) {
			const { callId, tool, input } = made[at]!;
			const output = ran[at]!;
			if (outcomes[at]!.action === "block") {
				done.set(at, { action: "block", isError: true, text: output.text, notes: [] });
				continue;
			}
			const result = { kind: "result", callId, tool, ...output } as const;
			if (isPerHook) this.project.restart();
			const call = { ...this.#of(), tool, callId, input, ...(isPerHook && { startedAt }) };
			const { notes, written } = this.project.engine.observe(call, result);
			const text = withNotes(output.text, notes);
			done.set(at, { action: "pass", isError: output.isError, text, notes });
			ran[at] = { ...output, text, ...(written && { details: written }) };
		}
		for (const [at, { callId, tool }] of made.entries()) {
			const { text, ...rest } = ran[at]!;
			this.#say({ role: "toolResult", toolCallId: callId, toolName: tool, content: [{ type: "text", text }], ...rest });
			this.got.push(done.get(at)!);
		}
		return made.map((_, at) => done.get(at)!);
	}

	#of() {
		return { session: this.session, host: "pi", cwd: this.#cwd };
	}

	#say(message: object): string {
		const id = `e${++this.#entries}`;
		const timestamp = new Date(Date.now() + this.project.ahead).toISOString();
		const entry = { type: "message", id, timestamp, message };
		this.project.engine.record(this.#translator.translate(entry, JSON.stringify(entry), id));
		return id;
	}
}
