/**
 * Hooks of Codex: one process for each. Before an edit the guard judges it; after a tool ran, what it did is looked at, and what a
 * command printed is bounded. The session is read from Codex's own file first. Whatever fails, Codex goes on.
 */
import { statSync } from "node:fs";
import { asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { GuardCall } from "../../guard/types.ts";
import { toolClass } from "../../state/session/tool-class.ts";
import { boundOutput } from "../live/bound-output.ts";
import { importFile } from "../recorded/import.ts";
import { importTarget } from "../recorded/intake.ts";
import { peekSessions } from "../recorded/session-files.ts";
import { folderOf, patchIn } from "./patch-command.ts";
import { codexReader, threadIn } from "./reader.ts";
import { CODEX } from "./translate.ts";

const PATCH_TOOL = "apply_patch";

/** A longer session is not read at every tool call: the proxy, or the next import, does it. */
const MAX_READ_BYTES = 16 * 1024 * 1024;

/** Where the session runs, by its own file. A hook names the folder of its command, which may be another, in another project too. */
export async function sessionFolder(event: JsonObject, folder: string): Promise<string> {
	const transcript = asName(event["transcript_path"]);
	const [found] = transcript === undefined ? [] : await peekSessions(transcript, [codexReader]);
	return found?.cwd ?? asName(event["cwd"]) ?? folder;
}

/** What Codex is answered; undefined: nothing, it goes on. */
export async function answerHook(event: JsonObject, engine: Engine, cwd: string): Promise<JsonObject | undefined> {
	const transcript = asName(event["transcript_path"]);
	if (transcript !== undefined && !engine.log.readOnly) await readSession(engine, transcript);
	const call = callOf(event, cwd);
	switch (event["hook_event_name"]) {
		case "PreToolUse":
			return judge(engine, call);
		case "PostToolUse":
			return lookAfter(engine, call, asText(event["tool_response"]) ?? "");
		default:
			return undefined;
	}
}

async function readSession(engine: Engine, transcript: string): Promise<void> {
	const size = statSync(transcript, { throwIfNoEntry: false })?.size ?? 0;
	if (size > 0 && size <= MAX_READ_BYTES)
		await importFile(transcript, { readers: [codexReader], logFor: () => importTarget(engine.log) });
}

function judge(engine: Engine, call: GuardCall): JsonObject | undefined {
	const outcome = engine.judge(call);
	if (outcome.action !== "block") return undefined;
	return hookOutput("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: outcome.reason });
}

function lookAfter(engine: Engine, call: GuardCall, text: string): JsonObject | undefined {
	const { tool, callId } = call;
	const shown = boundOutput(engine, call, text);
	const { notes } = engine.observe(call, { kind: "result", tool, callId, text: shown ?? text, isError: false });
	const said = notes.map((note) => `[weft] ${note}`).join("\n\n");
	// The reason takes the place of the output.
	if (shown !== undefined) return { decision: "block", reason: said === "" ? shown : `${shown}\n\n${said}` };
	return said === "" ? undefined : hookOutput("PostToolUse", { additionalContext: said });
}

function callOf(event: JsonObject, cwd: string): GuardCall {
	const given = asObject(event["tool_input"]) ?? {};
	const folder = asName(event["cwd"]) ?? cwd;
	const call = {
		session: sessionOf(event),
		host: CODEX,
		cwd,
		folder,
		tool: asName(event["tool_name"]) ?? "",
		callId: asName(event["tool_use_id"]) ?? "",
		input: given,
	};
	const command = asText(given["command"]);
	// A patch comes as a command here, and as an input in Codex's own file.
	if (toolClass(call.tool) === "patch") return { ...call, input: { input: command ?? asText(given["input"]) } };
	const inShell = command === undefined ? undefined : patchIn(command);
	if (!inShell) return call;
	return { ...call, tool: PATCH_TOOL, folder: folderOf(folder, inShell), input: { input: inShell.patch } };
}

/** A sub-agent's hooks name the session that it works for, and the file of its own. */
function sessionOf(event: JsonObject): string {
	const root = asName(event["session_id"]) ?? "-";
	const own = threadIn(asName(event["transcript_path"]) ?? "") ?? root;
	return own === root ? root : `${root}/${own}`;
}

function hookOutput(hookEventName: string, more: JsonObject): JsonObject {
	return { hookSpecificOutput: { hookEventName, ...more } };
}
