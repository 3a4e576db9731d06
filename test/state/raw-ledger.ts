/**
 * Which files did a recorded session read and change, and which commands did it run? Counted from its raw lines, on
 * purpose without the translators, the message views and the folds: what they say is compared with this.
 */
import { createReadStream } from "node:fs";
import { posix } from "node:path";
import { createInterface } from "node:readline";

export interface RawLedger {
	readonly read: ReadonlySet<string>;
	readonly changed: ReadonlySet<string>;
	/** Command and exit, in order; null: not known. */
	readonly commands: readonly (readonly [string, number | null])[];
}

type Json = Readonly<Record<string, unknown>>;

interface RawCall {
	readonly name: string;
	readonly input: Json;
}

const READS = new Set(["read", "view", "notebookread"]);
const CHANGES = new Set(["edit", "multiedit", "notebookedit", "write"]);
const SHELLS = new Set(["bash", "shell", "exec", "powershell"]);
const COMMAND_CHARS = 2_000;

export async function readRawLedger(path: string): Promise<RawLedger> {
	const ledger = { read: new Set<string>(), changed: new Set<string>(), commands: [] as [string, number | null][] };
	const calls = new Map<string, RawCall>();
	const seen = new Set<string>();
	let cwd = "";
	const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
	for await (const text of lines) {
		const line = parse(text);
		if (!line) continue;
		if (typeof line["cwd"] === "string" && cwd === "") cwd = line["cwd"];
		const message = object(line["message"]);
		const id = String(line["uuid"] ?? line["id"] ?? "");
		if (!message || (id !== "" && seen.has(id))) continue;
		seen.add(id);
		if (message["role"] === "bashExecution") {
			const exit = message["cancelled"] === true ? null : whole(message["exitCode"]);
			ledger.commands.push([String(message["command"] ?? "").slice(0, COMMAND_CHARS), exit]);
		}
		for (const block of list(message["content"])) {
			const called = callOf(block);
			if (called) calls.set(called.id, called);
		}
		for (const result of resultsOf(message, line["toolUseResult"])) {
			const call = calls.get(result.id);
			if (call) count(ledger, call, result, cwd);
		}
	}
	return ledger;
}

interface RawResult {
	readonly id: string;
	readonly failed: boolean;
	readonly text: string;
	readonly details: Json;
}

function count(
	ledger: { read: Set<string>; changed: Set<string>; commands: [string, number | null][] },
	call: RawCall,
	result: RawResult,
	cwd: string,
): void {
	const name = call.name.toLowerCase();
	if (SHELLS.has(name) && typeof call.input["command"] === "string") {
		ledger.commands.push([call.input["command"].slice(0, COMMAND_CHARS), exitOf(call, result)]);
	}
	if (result.failed) return;
	const named = call.input["path"] ?? call.input["file_path"] ?? call.input["notebook_path"];
	const file = object(result.details["file"])?.["filePath"];
	if (READS.has(name) && typeof named === "string") {
		const isFile = result.details["isDirectory"] !== true && result.details["type"] !== "file_unchanged";
		const asked = typeof file === "string" ? file : named.replace(/:(?:raw|\d+(?:-\d+)?)$/, "");
		if (isFile && !/^[a-z][a-z0-9+.-]+:\/\//i.test(asked)) ledger.read.add(normal(asked, cwd));
	}
	if (!CHANGES.has(name)) return;
	const several = list(result.details["perFileResults"]).map((item) => object(item)?.["path"]);
	const changed = result.details["filePath"] ?? named;
	for (const path of several.length > 0 ? several : [changed]) {
		if (typeof path === "string" && path !== "") ledger.changed.add(normal(path, cwd));
	}
}

function callOf(value: unknown): (RawCall & { readonly id: string }) | undefined {
	const block = object(value);
	if (!block || (block["type"] !== "toolCall" && block["type"] !== "tool_use")) return undefined;
	const input = object(block["arguments"]) ?? object(block["input"]) ?? {};
	return { id: String(block["id"]), name: String(block["name"]), input };
}

function resultsOf(message: Json, noted: unknown): RawResult[] {
	if (message["role"] === "toolResult") {
		const failed = message["isError"] === true;
		const details = object(message["details"]) ?? {};
		return [{ id: String(message["toolCallId"]), failed, text: textOf(message["content"]), details }];
	}
	const blocks: Json[] = list(message["content"]).map((block) => object(block) ?? {});
	const results = blocks.filter((block) => block["type"] === "tool_result");
	return results.map((block) => ({
		id: String(block["tool_use_id"]),
		failed: block["is_error"] === true,
		text: textOf(block["content"]),
		details: results.length === 1 ? (object(noted) ?? {}) : {},
	}));
}

function exitOf(call: RawCall, { failed, text, details }: RawResult): number | null {
	const told = whole(details["exitCode"]) ?? whole(details["exit_code"]);
	if (told !== null) return told;
	const background = call.input["run_in_background"] === true || call.input["background"] === true;
	const unfinished =
		details["interrupted"] === true || details["status"] === "running" || "backgroundTaskId" in details;
	if (background || unfinished) return null;
	if (!failed) return 0;
	const code = /Command exited with code (\d+)\s*$/.exec(text) ?? /^(?:Error: )?Exit code (\d+)/.exec(text);
	return code ? Number(code[1]) : null;
}

function normal(path: string, cwd: string): string {
	if (path.startsWith("~")) return path;
	const absolute = posix.isAbsolute(path) ? posix.normalize(path) : posix.join(cwd, path);
	const relative = cwd === "" ? absolute : posix.relative(cwd, absolute);
	return relative.startsWith("..") ? absolute : relative || ".";
}

function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	return list(content)
		.map((block) => object(block)?.["text"])
		.filter((text) => typeof text === "string")
		.join("\n");
}

function parse(text: string): Json | undefined {
	try {
		return object(JSON.parse(text));
	} catch {
		return undefined;
	}
}

function object(value: unknown): Json | undefined {
	return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Json) : undefined;
}

function list(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

function whole(value: unknown): number | null {
	return typeof value === "number" && Number.isSafeInteger(value) ? value : null;
}
