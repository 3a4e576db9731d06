/** How far each session has come: turns, tools, commands, and changes since the newest request. */

import { asName, asObject } from "../../base/json/read.ts";
import { cutStart } from "../../base/text/cut.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { emptyRecent, getKey, getRecent, putRecent, setKey, touch } from "../../log/fold/keyed.ts";
import { numberIn, type StateFold, textIn } from "../../log/fold/state-fold.ts";
import { handleOf } from "../../log/handle.ts";
import { isRequest } from "../session/intent.ts";
import { MAX_SESSIONS } from "./current-session-fold.ts";
import type { ProgressState, SessionProgress, ToolUse } from "./progress.ts";

const MAX_COMMANDS = 20;
const MAX_TOOLS = 64;
const MAX_FILES = 64;
const COMMAND_CHARS = 300;

export const progressFold: StateFold<ProgressState> = {
	name: "progress",
	version: 5,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, record) {
		getKey(STEPS, record.type)?.(sessionOf(state, record.session), record);
	},
};

const STEPS: Readonly<Record<string, (progress: SessionProgress, record: EventRecord) => void>> = {
	UserIntent(progress, { payload }) {
		if (isRequest(textIn(payload, "text") ?? "")) progress.sinceIntent = nothing();
	},
	Message(progress, { payload, seq }) {
		if (payload["role"] !== "assistant") return;
		// Claude Code writes each block of an answer as a message, all under one id.
		const answer = asName(asObject(asObject(payload["raw"])?.["message"])?.["id"]) ?? `#${seq}`;
		if (answer === progress.lastAnswer) return;
		progress.lastAnswer = answer;
		progress.turns++;
		progress.sinceIntent.turns++;
	},
	ToolCalled(progress, { payload }) {
		const use = toolOf(progress, textIn(payload, "tool") ?? "");
		if (use) use.calls++;
		progress.sinceIntent.calls++;
	},
	ToolResult(progress, { payload }) {
		if (payload["status"] !== "error") return;
		const use = toolOf(progress, textIn(payload, "tool") ?? "");
		if (use) use.errors++;
	},
	FileChanged(progress, { payload }) {
		// The agent did not make a foreign change.
		if (payload["actor"] === "other") return;
		const since = progress.sinceIntent;
		since.changes++;
		since.added += numberIn(payload, "added") ?? 0;
		since.removed += numberIn(payload, "removed") ?? 0;
		const path = textIn(payload, "path");
		if (path !== null) touch(since.files, path, MAX_FILES);
	},
	CommandRun(progress, record) {
		const { ts, payload } = record;
		const exit = numberIn(payload, "exit");
		const failed = exit !== null && exit !== 0 ? 1 : 0;
		progress.commands++;
		progress.failedCommands += failed;
		progress.sinceIntent.commands++;
		progress.sinceIntent.failedCommands += failed;
		const command = cutStart(textIn(payload, "command") ?? "", COMMAND_CHARS);
		const by = textIn(payload, "by") ?? "agent";
		progress.recentCommands.push({ handle: handleOf(record), ts, command, exit, by });
		if (progress.recentCommands.length > MAX_COMMANDS) progress.recentCommands.shift();
	},
};

function sessionOf(state: ProgressState, session: string): SessionProgress {
	const known = getRecent(state.sessions, session) ?? {
		turns: 0,
		lastAnswer: null,
		tools: {},
		commands: 0,
		failedCommands: 0,
		recentCommands: [],
		sinceIntent: nothing(),
	};
	putRecent(state.sessions, session, known, MAX_SESSIONS);
	return known;
}

/** Undefined from the sixty-fifth name on: no agent has that many tools. */
function toolOf(progress: SessionProgress, tool: string): ToolUse | undefined {
	const known = getKey(progress.tools, tool);
	if (known || Object.keys(progress.tools).length >= MAX_TOOLS) return known;
	const use = { calls: 0, errors: 0 };
	setKey(progress.tools, tool, use);
	return use;
}

function nothing(): SessionProgress["sinceIntent"] {
	return { turns: 0, calls: 0, changes: 0, added: 0, removed: 0, commands: 0, failedCommands: 0, files: [] };
}
