/** Codex's notes on a call besides its result: the command's exit, what it read, which files it changed. */
import { BoundedMap } from "../../base/collection/bounded.ts";
import { asInteger, asList, asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { type NotedChange, type NotedRead, notedRead, type ReaderNotes } from "../../state/session/reader-notes.ts";

interface OpenCall {
	readonly tool: string;
	readonly input: JsonObject;
	exit?: number | undefined;
	reads?: readonly JsonObject[] | undefined;
	changes?: readonly NotedChange[] | undefined;
	child?: string | undefined;
	folder?: string | undefined;
}

export interface TakenCall {
	readonly tool: string;
	readonly isError: boolean;
	/** Undefined: the events are derived from the tool's name. */
	readonly noted: ReaderNotes | undefined;
}

const MAX_OPEN = 2_000;

export class CallNotes {
	cwd: string | undefined;
	readonly #root: string;
	readonly #open = new BoundedMap<string, OpenCall>(MAX_OPEN);
	/** Commands that still run, by the id with which the model asks for more output. */
	readonly #running = new Map<string, string>();

	/** `root`: the thread after which sub-agents are named. */
	constructor(root: string) {
		this.#root = root;
	}

	open(id: string, tool: string, input: JsonObject): void {
		this.#open.set(id, { tool, input });
	}

	/** An item of Codex's screen, with the id of its call. */
	note(item: JsonObject): void {
		const call = this.#open.get(asName(item["id"]) ?? "");
		if (!call) return;
		if (item["type"] === "CommandExecution") {
			call.exit = asInteger(item["exit_code"]);
			call.reads = readsOf(item["parsed_cmd"]);
			call.folder = asName(item["cwd"])?.replace(/^file:\/\//, "");
		}
		if (item["type"] === "FileChange" && item["status"] !== "failed") call.changes = changesOf(item["changes"]);
		if (item["type"] === "CollabAgentToolCall" && item["tool"] === "spawn_agent") {
			call.child = asName(asList(item["receiver_thread_ids"])[0]);
		}
	}

	/** The same in older versions. */
	noteEnd(event: JsonObject): void {
		const call = this.#open.get(asName(event["call_id"]) ?? "");
		if (!call) return;
		if (event["type"] === "exec_command_end") {
			call.exit = asInteger(event["exit_code"]);
			call.reads = readsOf(event["parsed_cmd"]);
			call.folder = asName(event["cwd"]);
		} else if (event["success"] === true) call.changes = changesOf(event["changes"]);
	}

	/** Closes a call with its result. */
	take(id: string, text: string): TakenCall {
		const call = this.#open.get(id);
		this.#open.delete(id);
		if (!call) return { tool: "", isError: false, noted: undefined };
		const { tool, input } = call;
		const shown = exitIn(text);
		const exit = call.exit ?? shown ?? null;
		if (tool === "apply_patch") {
			const isError = shown === undefined ? !/^Success\b/m.test(text) : shown !== 0;
			// Without diffs from Codex the changes come from the patch itself.
			return { tool, isError, noted: call.changes && { changes: isError ? [] : call.changes } };
		}
		const command = commandOf(tool, input) ?? this.#continued(tool, input);
		if (command === undefined) {
			const child = this.#childOf(call, text);
			return { tool, isError: false, noted: child && { child } };
		}
		const running = /Process running with session ID (\S+)/.exec(text)?.[1];
		if (running !== undefined) this.#running.set(running, command);
		const runs = tool === "write_stdin" && running !== undefined ? [] : [{ command, exit: running ? null : exit }];
		const reads = running === undefined && exit === 0 ? this.#reads(call, command, text) : [];
		return { tool, isError: exit !== null && exit !== 0, noted: { runs, reads, changes: call.changes } };
	}

	/** The command whose output the model asks for. */
	#continued(tool: string, input: JsonObject): string | undefined {
		return tool === "write_stdin" ? this.#running.get(String(input["session_id"])) : undefined;
	}

	#reads({ reads = [], folder, input }: OpenCall, command: string, text: string): NotedRead[] {
		const output = text.includes("\nOutput:\n") ? text.slice(text.indexOf("\nOutput:\n") + 9) : text;
		return reads.flatMap((read) => {
			const path = asName(read["path"]) ?? asName(read["name"]);
			if (path === undefined) return [];
			const [, from, to] = /sed -n ['"]?(\d+),(\d+)p/.exec(asText(read["cmd"]) ?? command) ?? [];
			const place = inFolder(path, asName(input["workdir"]) ?? folder, this.cwd);
			return [notedRead(place, from ? Number(from) : 1, to ? Number(to) : null, output)];
		});
	}

	#childOf({ tool, input, child }: OpenCall, text: string): { session: string; task?: string | undefined } | undefined {
		if (tool !== "spawn_agent") return undefined;
		const id = child ?? /"agent_id"\s*:\s*"([^"]+)"/.exec(text)?.[1];
		return id === undefined ? undefined : { session: `${this.#root}/${id}`, task: asName(input["message"]) };
	}
}

/** The command line of a call that runs one. */
function commandOf(tool: string, input: JsonObject): string | undefined {
	if (tool === "exec_command") return asText(input["cmd"]);
	if (!/^(?:shell|local_shell|shell_command|container\.exec)$/.test(tool)) return undefined;
	const { command } = input;
	if (typeof command === "string") return command;
	const words = asList(command).map(String);
	const script = words.findIndex((word) => /^-l?c$/.test(word));
	return script > 0 && words.length === script + 2 ? words[script + 1] : words.join(" ");
}

/** The exit status in the result's text. */
function exitIn(text: string): number | undefined {
	const code =
		/(?:^|\n)Process exited with code (-?\d+)/.exec(text) ??
		/^Exit code: (-?\d+)/.exec(text) ??
		/"exit_code"\s*:\s*(-?\d+)/.exec(text.startsWith("{") ? text : "");
	return code ? Number(code[1]) : undefined;
}

function readsOf(parsed: unknown): JsonObject[] {
	return asList(parsed).flatMap((value) => {
		const part = asObject(value) ?? {};
		// Older versions write `{"Read": {…}}`.
		const old = asObject(part["Read"]);
		return part["type"] === "read" ? [part] : old ? [old] : [];
	});
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

function inFolder(path: string, folder: string | undefined, cwd: string | undefined): string {
	if (/^(?:\/|~|[A-Za-z]:)/.test(path) || folder === undefined || folder === cwd) return path;
	return `${folder.startsWith("/") || cwd === undefined ? folder : `${cwd}/${folder}`}/${path}`;
}
