/** Codex's notes on a call besides its result: the command's exit and the files that it changed. */
import { BoundedMap } from "../../base/collection/bounded.ts";
import { asInteger, asList, asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import type { NotedChange, NotedRun, ReaderNotes } from "../../state/session/reader-notes.ts";
import { commandsOf, commandText, isScript, patchesOf } from "../../state/session/shell-command.ts";
import { toolClass } from "../../state/session/tool-class.ts";

interface OpenCall {
	readonly tool: string;
	readonly input: JsonObject;
	exit?: number | undefined;
	changes?: readonly NotedChange[] | undefined;
	child?: string | undefined;
	/** The commands that its script has run. */
	runs?: readonly NotedRun[] | undefined;
}

export interface TakenCall {
	readonly tool: string;
	readonly isError: boolean;
	/** Undefined: the events are derived from the tool's name. */
	readonly noted: ReaderNotes | undefined;
}

const MAX_OPEN = 2_000;

export class CallNotes {
	readonly #root: string;
	readonly #open = new BoundedMap<string, OpenCall>(MAX_OPEN);
	/** Calls that still run, by the id with which the model asks for more output. */
	readonly #running = new Map<string, OpenCall>();
	/** The script that runs: Codex names the calls in it by ids of their own. */
	#script: OpenCall | undefined;

	/** `root`: the thread after which sub-agents are named. */
	constructor(root: string) {
		this.#root = root;
	}

	open(id: string, tool: string, input: JsonObject): void {
		const call = { tool, input };
		this.#open.set(id, call);
		if (isScript(input)) this.#script = call;
	}

	/** An item of Codex's screen, with the id of its call. */
	note(item: JsonObject): void {
		const call = this.#callOf(item["id"]);
		if (!call) return;
		if (item["type"] === "CommandExecution") this.#noteRun(call, item);
		if (item["type"] === "FileChange" && item["status"] !== "failed") noteChanges(call, item);
		if (item["type"] === "CollabAgentToolCall" && item["tool"] === "spawn_agent") {
			call.child = asName(asList(item["receiver_thread_ids"])[0]);
		}
	}

	/** The same in older versions. */
	noteEnd(event: JsonObject): void {
		const call = this.#callOf(event["call_id"]);
		if (!call) return;
		if (event["type"] === "exec_command_end") this.#noteRun(call, event);
		else if (event["success"] === true) noteChanges(call, event);
	}

	#callOf(id: unknown): OpenCall | undefined {
		return this.#open.get(asName(id) ?? "") ?? this.#script;
	}

	#noteRun(call: OpenCall, item: JsonObject): void {
		const exit = asInteger(item["exit_code"]);
		if (call !== this.#script) {
			call.exit = exit;
			return;
		}
		const [run] = commandsOf(item);
		if (run) call.runs = [...(call.runs ?? []), { command: run.command, exit: exit ?? null }];
	}

	/** Closes a call with its result. */
	take(id: string, text: string): TakenCall {
		const call = this.#open.get(id);
		this.#open.delete(id);
		// A file may repeat a result: nothing follows from the second one.
		if (!call) return { tool: "", isError: false, noted: {} };
		const { tool, input } = call;
		const shown = exitIn(text);
		if (tool === "apply_patch") {
			const isError = shown === undefined ? !/^Success\b/m.test(text) : shown !== 0;
			// Without diffs from Codex the changes come from the patch itself.
			return { tool, isError, noted: call.changes && { changes: isError ? [] : call.changes } };
		}
		const ran = this.#continued(tool, input) ?? call;
		if (ran === this.#script) this.#script = undefined;
		const isRunning = this.#keepRunning(ran, text);
		if (isScript(ran.input)) return this.#takeScript(tool, ran, text, isRunning);
		const command = toolClass(ran.tool) === "shell" ? commandText(ran.input) : undefined;
		if (command === undefined) {
			const child = this.#childOf(call, text);
			return { tool, isError: false, noted: child && { child } };
		}
		const exit = call.exit ?? shown ?? null;
		const runs = ran !== call && isRunning ? [] : [{ command, exit: isRunning ? null : exit }];
		// Without a note of Codex, a patch in the command itself says what it changed.
		const isPatch = call.changes === undefined && patchesOf(input).length > 0;
		const noted = isPatch && exit === 0 ? undefined : { runs, changes: call.changes };
		return { tool, isError: exit !== null && exit !== 0, noted };
	}

	/** Codex's notes on the calls of a script, or none: then its text tells. */
	#takeScript(tool: string, call: OpenCall, text: string, isRunning: boolean): TakenCall {
		const { runs, changes, input } = call;
		const isError = /^Script failed\b/.test(text);
		const child = this.#childOf(call, text);
		const isNoted = runs !== undefined || changes !== undefined || child !== undefined || isRunning;
		const isPatched = changes !== undefined || patchesOf(input).length === 0;
		// Some of its calls may have worked before it failed; only notes can say which.
		const noted = isError || (isNoted && isPatched) ? { runs: runs ?? [], changes, child } : undefined;
		return { tool, isError, noted };
	}

	/** True: the result is not the last one, and the call is kept until then. */
	#keepRunning(call: OpenCall, text: string): boolean {
		const id = /^(?:[^\n]*\n){0,4}?(?:Process running with session ID|Script running with cell ID) (\S+)/.exec(
			text,
		)?.[1];
		if (id === undefined) return false;
		this.#running.set(id, call);
		if (isScript(call.input)) this.#script = call;
		return true;
	}

	/** The call whose output the model asks for. */
	#continued(tool: string, input: JsonObject): OpenCall | undefined {
		const id = tool === "write_stdin" ? input["session_id"] : tool === "wait" ? input["cell_id"] : undefined;
		return id === undefined ? undefined : this.#running.get(String(id));
	}

	#childOf({ tool, input, child }: OpenCall, text: string): { session: string; task?: string | undefined } | undefined {
		const script = isScript(input) ? (asText(input["input"]) ?? "") : "";
		if (tool !== "spawn_agent" && !script.includes("spawn_agent(")) return undefined;
		const id = child ?? /"agent_id"\s*:\s*"([^"]+)"/.exec(text)?.[1];
		return id === undefined ? undefined : { session: `${this.#root}/${id}`, task: asName(input["message"]) };
	}
}

function noteChanges(call: OpenCall, { changes }: JsonObject): void {
	call.changes = [...(call.changes ?? []), ...changesOf(changes)];
}

/** The exit status in the result's text. */
function exitIn(text: string): number | undefined {
	const code =
		/(?:^|\n)Process exited with code (-?\d+)/.exec(text) ??
		/^Exit code: (-?\d+)/.exec(text) ??
		/"exit_code"\s*:\s*(-?\d+)/.exec(text.startsWith("{") ? text : "");
	return code ? Number(code[1]) : undefined;
}

function changesOf(value: unknown): NotedChange[] {
	return Object.entries(asObject(value) ?? {}).flatMap(([path, of]): NotedChange[] => {
		const change = asObject(of) ?? {};
		const type = asName(change["type"]) ?? Object.keys(change)[0];
		const fields = asObject(change[type ?? ""]) ?? change;
		if (type === "add") return [{ path, kind: "write", created: true, content: asText(fields["content"]) }];
		if (type === "delete") return [{ path, kind: "delete" }];
		const patch = asText(fields["unified_diff"]);
		const moved = asName(fields["move_path"]);
		if (moved === undefined) return [{ path, kind: "edit", patch }];
		return [
			{ path, kind: "delete" },
			{ path: moved, kind: "edit", patch },
		];
	});
}
