/** opencode 1.18: a database of messages and parts, and a plugin that asks weft before each request and around each tool. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { READERS } from "../../src/agent/agents.ts";
import { LiveSessionFiles } from "../../src/agent/live/live-session-files.ts";
import { OpencodeLive } from "../../src/agent/opencode/live.ts";
import { OPENCODE_PORT } from "../../src/agent/opencode/port.ts";
import { FORMATS, writeFormat } from "../formats/formats.ts";
import { type AgentDriver, type CallOutcome, patchOf, runTool, type ScriptedCall, type ToolRun } from "./driver.ts";
import type { AgentWorld } from "./world.ts";

const SESSION = "ses_1";
const WINDOW_TOKENS = 400_000;
/** Of a model for which the session is too large. */
const SMALL_WINDOW_TOKENS = 2_000;
/** Of an output that opencode cuts. */
const KEPT_CHARS = 20_000;
/** The program's own words after the output of a command that it ended. */
const OPENCODE_NOTE = "\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>";
const format = FORMATS.find(({ agent, isOld }) => agent === "opencode" && !isOld);

type Fields = Readonly<Record<string, unknown>>;

export class OpencodeDriver implements AgentDriver {
	readonly said: string[] = [];
	readonly #world: AgentWorld;
	readonly #database: string;
	#files: LiveSessionFiles | undefined;
	#live: OpencodeLive | undefined;
	#model = "first-model";
	#window = WINDOW_TOKENS;
	#seed = "";
	/** Messages that opened with memory in a request before. */
	readonly #recalled = new Set<string>();
	#rows = 0;
	#now = 0;

	constructor(world: AgentWorld) {
		this.#world = world;
		if (!format) throw new Error("There is no writer of opencode's format.");
		this.#database = writeFormat(format, world.root, []);
		this.#sql("UPDATE session SET directory = ?, time_created = ?", world.project, Date.now());
	}

	async start(): Promise<void> {
		const { env, project: cwd } = this.#world;
		const warn = (message: string) => this.#live?.notify(message);
		this.#files = new LiveSessionFiles({ readers: READERS, env, cwd, port: OPENCODE_PORT, warn });
		this.#live = new OpencodeLive({ files: this.#files, cwd });
	}

	async prompt(text: string): Promise<string> {
		const id = this.#addMessage({ role: "user", model: { modelID: this.#model } });
		this.#addPart(id, { type: "text", text });
		return this.#request();
	}

	async call(call: ScriptedCall): Promise<CallOutcome> {
		const { tool, args } = this.#toolOf(call);
		const message = this.#addMessage(this.#assistant(), { isDone: false });
		const callId = `call_${message}`;
		const part = this.#addPart(message, {
			type: "tool",
			tool,
			callID: callId,
			state: { status: "running", input: args },
		});
		const of = { session: SESSION, tool, callId, args };
		const finish = (state: Fields) => {
			const input = { input: args, time: { start: Date.now(), end: Date.now() } };
			this.#setPart(part, { type: "tool", tool, callID: callId, state: { ...input, ...state } });
			this.#finish(message);
		};
		const before = await this.#ask({ kind: "before", ...of });
		if (typeof before?.["deny"] === "string") {
			finish({ status: "error", error: before["deny"] });
			await this.#request();
			return { refusal: before["deny"], output: "", beside: "" };
		}
		const run = runTool(this.#world, call);
		// A tool that throws has no second hook. A command that fails does not throw.
		if (run.isError && call.tool !== "shell") {
			finish({ status: "error", error: run.output });
			await this.#request();
			return { output: run.output, beside: "" };
		}
		const { output, ...cut } = this.#cutOutput(call, run);
		const metadata = { ...this.#metadataOf(call, run), ...cut };
		const { exit, truncated, outputPath } = metadata as Fields;
		const answer = await this.#ask({ kind: "after", ...of, output, exit, truncated, outputPath });
		const shown = typeof answer?.["output"] === "string" ? answer["output"] : output;
		finish({ status: "completed", output: shown, title: tool, metadata });
		await this.#request();
		return { output: shown, beside: "" };
	}

	async answer(text: string): Promise<void> {
		const id = this.#addMessage(this.#assistant());
		this.#addPart(id, { type: "text", text });
		await this.#ask({ kind: "idle", session: SESSION });
	}

	async switchModel(model: string): Promise<void> {
		this.#model = model;
	}

	async abort(text: string): Promise<void> {
		const error = { name: "MessageAbortedError", data: { message: "The operation was aborted." } };
		const id = this.#addMessage({ ...this.#assistant(), error });
		this.#addPart(id, { type: "text", text });
	}

	/** The session goes to a model with a small window: the next request must fit. */
	async compact(): Promise<string> {
		this.#window = SMALL_WINDOW_TOKENS;
		return "";
	}

	async resume(): Promise<void> {
		await this.end();
		await this.start();
	}

	async end(): Promise<void> {
		await this.#live?.end();
		await this.#files?.close();
	}

	async #ask(question: Fields): Promise<Fields | undefined> {
		const answer = await this.#live?.answer({ cwd: this.#world.project, ...question });
		if (typeof answer?.["notice"] === "string") this.said.push(answer["notice"]);
		return answer;
	}

	async #request(): Promise<string> {
		const answer = await this.#ask({ kind: "request", session: SESSION, model: this.#model, window: this.#window });
		this.#window = WINDOW_TOKENS;
		const seed = typeof answer?.["seed"] === "string" ? answer["seed"] : "";
		// It opens every request from now on: the new is asked for.
		const isNew = seed !== this.#seed;
		this.#seed = seed;
		const recalled = (answer?.["recalled"] ?? []) as readonly { readonly id: string; readonly text: string }[];
		const fresh = recalled.filter(({ id }) => !this.#recalled.has(id));
		for (const { id } of fresh) this.#recalled.add(id);
		return [...(isNew ? [seed] : []), ...fresh.map(({ text }) => text)].filter((text) => text !== "").join("\n\n");
	}

	#toolOf(call: ScriptedCall): { readonly tool: string; readonly args: Fields } {
		if (call.tool === "shell") return { tool: "bash", args: { command: call.command, description: "Run it" } };
		const filePath = resolve(this.#world.project, call.path);
		if (call.tool === "read") return { tool: "read", args: { filePath } };
		if (call.tool === "write") return { tool: "write", args: { filePath, content: call.text } };
		return { tool: "edit", args: { filePath, oldString: call.before, newString: call.after } };
	}

	#metadataOf(call: ScriptedCall, run: ToolRun): Fields {
		if (call.tool === "shell") return { exit: run.exit, output: run.output };
		const file = resolve(this.#world.project, call.path);
		if (call.tool === "read") {
			const lineEnd = run.output.replace(/\n$/, "").split("\n").length;
			return { display: { path: file, text: run.output, lineStart: 1, lineEnd } };
		}
		const patch = run.text && patchOf(call.path, run.text);
		if (call.tool === "write") return { filepath: file, exists: run.text?.before !== undefined, diff: patch };
		return { filediff: { file, patch }, diff: patch };
	}

	#cutOutput(call: ScriptedCall, { output }: ToolRun): Fields & { readonly output: string } {
		const cut = call.tool === "shell" ? call.cut : undefined;
		if (cut === undefined) return { output };
		const outputPath = join(dirname(this.#database), "tool-output", "tool_1");
		mkdirSync(dirname(outputPath), { recursive: true });
		if (cut === "saved") writeFileSync(outputPath, output);
		const kept = output.slice(-KEPT_CHARS);
		const text = `...output truncated...\n\nFull output saved to: ${outputPath}\n\n${kept}${OPENCODE_NOTE}`;
		return { output: text, truncated: true, outputPath };
	}

	#assistant(): Fields {
		const tokens = { input: 100, output: 10, reasoning: 0, cache: { read: 0, write: 0 } };
		return { role: "assistant", modelID: this.#model, providerID: "fake", cost: 0, tokens };
	}

	#addMessage(data: Fields, { isDone = true } = {}): string {
		const id = `msg_${String(++this.#rows).padStart(6, "0")}`;
		const now = this.#tick();
		const time = { created: now, ...(isDone && { completed: now }) };
		this.#sql("INSERT INTO message VALUES (?, ?, ?, ?, ?)", id, SESSION, now, now, JSON.stringify({ ...data, time }));
		return id;
	}

	#finish(id: string): void {
		const sql = "UPDATE message SET time_updated = ?, data = json_set(data, '$.time.completed', ?) WHERE id = ?";
		const now = this.#tick();
		this.#sql(sql, now, now, id);
	}

	#addPart(message: string, data: Fields): string {
		const id = `prt_${String(++this.#rows).padStart(6, "0")}`;
		const now = this.#tick();
		this.#sql("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", id, message, SESSION, now, now, JSON.stringify(data));
		return id;
	}

	#setPart(id: string, data: Fields): void {
		this.#sql("UPDATE part SET time_updated = ?, data = ? WHERE id = ?", this.#tick(), JSON.stringify(data), id);
	}

	/** Two changes of one millisecond would look like one to a reader that goes by the newest time. */
	#tick(): number {
		this.#now = Math.max(this.#now + 1, Date.now());
		return this.#now;
	}

	#sql(statement: string, ...values: (string | number)[]): void {
		const db = new DatabaseSync(this.#database);
		db.prepare(statement).run(...values);
		db.close();
	}
}
