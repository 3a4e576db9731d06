/** opencode by its plugin's questions and its database. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createTwoFilesPatch } from "diff";
import { LiveSessionFiles } from "../../../src/agent/live/live-session-files.ts";
import { OpencodeLive } from "../../../src/agent/opencode/live.ts";
import { OPENCODE_PORT } from "../../../src/agent/opencode/port.ts";
import { opencodeReader } from "../../../src/agent/opencode/reader.ts";
import { asText, type JsonObject } from "../../../src/base/json/read.ts";
import type { Engine } from "../../../src/engine.ts";
import {
	type AgentTrait,
	applyEdits,
	editsOf,
	HookedAgent,
	type HookedPlace,
	linesOf,
	matches,
	type OwnCall,
	type OwnOutput,
	type OwnVerdict,
	shell,
	type ToolCall,
} from "../hooked-agent.ts";
import { applyPatch } from "./apply-patch.ts";

const SCHEMA = `
CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE IF NOT EXISTS message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE IF NOT EXISTS part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);`;

export class HookedOpencode extends HookedAgent {
	readonly traits = new Set<AgentTrait>(["remembers texts", "edits pieces", "reads by a tool", "outlines reads"]);
	readonly session = `ses_${this.number}`;
	protected override readonly isOneEditACall = true;
	readonly #db: DatabaseSync;
	#files: LiveSessionFiles;
	#live: OpencodeLive;
	#rows = 0;
	/** The answer whose calls run, and how many of them have no result yet. */
	#answer = { id: "", waits: 0 };

	constructor(place: HookedPlace, cwd: string) {
		super(place, cwd);
		const database = join(place.own, ".local/share/opencode/opencode.db");
		mkdirSync(dirname(database), { recursive: true });
		this.#db = new DatabaseSync(database);
		this.#db.exec(SCHEMA);
		const at = this.now();
		this.#db.prepare("INSERT INTO session VALUES (?, NULL, ?, 'work', '1.18.3', ?, ?)").run(this.session, cwd, at, at);
		({ files: this.#files, live: this.#live } = this.#open());
		this.#say("user", [{ type: "text", text: "Begin." }]);
	}

	get engine(): Engine {
		return this.#files.engineFor(this.cwd)!;
	}

	async another(): Promise<HookedAgent> {
		return new HookedOpencode(this.place, this.cwd);
	}

	async restart(): Promise<void> {
		await this.#files.close();
		({ files: this.#files, live: this.#live } = this.#open());
	}

	async close(): Promise<void> {
		await this.#files.close();
		this.#db.close();
	}

	async user(text: string): Promise<void> {
		this.#say("user", [{ type: "text", text }]);
		await this.request();
	}

	override async request(): Promise<void> {
		await this.#ask({ kind: "request", model: "scripted", window: 200_000 });
	}

	protected own({ tool, input }: ToolCall): Pick<OwnCall, "tool" | "input"> {
		const { path, edits, ...rest } = input;
		if (tool === "bash" || path === undefined) return { tool, input };
		if (tool === "grep") return { tool, input };
		const [edit] = editsOf({ tool, input });
		const change = edit && {
			oldString: edit.oldText,
			newString: edit.newText,
			...(edit.replaceAll && { replaceAll: true }),
		};
		return { tool, input: { filePath: this.path(String(path)), ...rest, ...change } };
	}

	protected run({ tool, input, of }: OwnCall): OwnOutput {
		const filePath = String(input["filePath"]);
		switch (tool) {
			case "read": {
				const { lines, offset, end, total } = linesOf(readFileSync(filePath, "utf8").replace(/\n$/, ""), input);
				const shown = lines.map((line, at) => `${offset + at}: ${line}`).join("\n");
				const rest =
					end < total ? `(Showing lines ${offset}-${end} of ${total}.)` : `(End of file - total ${total} lines)`;
				const text = `<path>${filePath}</path>\n<type>file</type>\n<content>\n${shown}\n\n${rest}\n</content>`;
				const display = { path: filePath, text: lines.join("\n"), lineStart: offset, lineEnd: end };
				return { text: of.says ?? text, isError: false, details: { display } };
			}
			case "write": {
				const exists = existsSync(filePath);
				writeFileSync(filePath, String(input["content"]));
				return { text: "Wrote file successfully.", isError: false, details: { filepath: filePath, exists } };
			}
			case "edit": {
				const text = readFileSync(filePath, "utf8");
				const next = applyEdits(text, editsOf(of));
				writeFileSync(filePath, next);
				const patch = createTwoFilesPatch(filePath, filePath, text, next);
				return { text: "Edit applied successfully.", isError: false, details: { filediff: { file: filePath, patch } } };
			}
			case "grep": {
				const path = this.path(String(input["path"]));
				const found = matches(readFileSync(path, "utf8"), String(input["pattern"]));
				const lines = found.map(({ at, line }) => `  Line ${at}: ${line}`);
				return { text: [`Found ${found.length} matches`, `${path}:`, ...lines].join("\n"), isError: false };
			}
			case "bash": {
				const { stdout, stderr, status } = shell(String(input["command"]), this.cwd);
				// A command that fails is no error of the tool.
				return { text: stdout + stderr, isError: false, details: { exit: status } };
			}
			default:
				if (tool === "apply_patch") applyPatch(String(input["input"]), (path) => this.path(path));
				return { text: `${tool} is done.`, isError: false };
		}
	}

	protected async before({ tool, callId, input: args }: OwnCall): Promise<OwnVerdict> {
		const deny = asText((await this.#ask({ kind: "before", tool, callId, args }))?.["deny"]);
		return deny === undefined ? {} : { block: deny };
	}

	/** A tool that throws fires no question. */
	protected async after({ tool, callId, input: args }: OwnCall, output: OwnOutput): Promise<string> {
		if (output.isError) return output.text;
		const { exit } = (output.details ?? {}) as { exit?: number };
		const of = { kind: "after", tool, callId, args, output: output.text, exit };
		return asText((await this.#ask(of))?.["output"]) ?? output.text;
	}

	protected async sayCalls(calls: readonly OwnCall[]): Promise<void> {
		const parts = calls.map(({ callId, tool, input }) => ({
			type: "tool",
			tool,
			callID: callId,
			state: { status: "running", input },
		}));
		this.#answer = { id: this.#say("assistant", parts), waits: calls.length };
	}

	protected async sayResult({ callId, tool, input }: OwnCall, output: OwnOutput): Promise<void> {
		const { text, isError, details: metadata = {} } = output;
		const result = isError ? { status: "error", error: text } : { status: "completed", output: text };
		const part = { type: "tool", tool, callID: callId, state: { ...result, input, metadata } };
		const at = this.now();
		this.#db
			.prepare("UPDATE part SET data = ?, time_updated = ? WHERE message_id = ? AND data ->> 'callID' = ?")
			.run(JSON.stringify(part), at, this.#answer.id, callId);
		if (--this.#answer.waits > 0) return;
		const message = { role: "assistant", time: { created: at, completed: at } };
		this.#db
			.prepare("UPDATE message SET data = ?, time_updated = ? WHERE id = ?")
			.run(JSON.stringify(message), at, this.#answer.id);
	}

	#say(role: "user" | "assistant", parts: readonly object[]): string {
		const at = this.now();
		const id = `msg_${this.number}_${String(++this.#rows).padStart(4, "0")}`;
		const message = this.#db.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)");
		message.run(id, this.session, at, at, JSON.stringify({ role, time: { created: at } }));
		const add = this.#db.prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)");
		for (const [nth, part] of parts.entries())
			add.run(`prt_${id}_${nth}`, id, this.session, at, at, JSON.stringify(part));
		return id;
	}

	#open() {
		const { home, own, env } = this.place;
		const { cwd } = this;
		const now = () => this.now();
		const files = new LiveSessionFiles({
			readers: [opencodeReader],
			env: { ...env, HOME: own },
			home,
			cwd,
			port: OPENCODE_PORT,
			warn: () => {},
			now,
		});
		return { files, live: new OpencodeLive({ files, cwd }) };
	}

	#ask(question: JsonObject): Promise<JsonObject | undefined> {
		return this.#live.answer({ ...question, session: this.session, cwd: this.cwd });
	}
}
