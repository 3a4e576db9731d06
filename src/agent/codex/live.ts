/**
 * Hooks of Codex. Codex starts a process for each; the resident answers them all, or the process itself does. The session is
 * read from Codex's own file first. Whatever fails, Codex carries on.
 */
import { BoundedMap } from "../../base/collection/bounded.ts";
import { asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import { folderOf, patchIn } from "../../state/session/shell-command.ts";
import { toolClass } from "../../state/session/tool-class.ts";
import { openAgentEngine } from "../live/agent-engine.ts";
import type { Door } from "../live/door.ts";
import type { LiveProject } from "../live/project.ts";
import { findTakenOffers } from "../live/seed-offer-event.ts";
import { besideText, insideText, type LiveSession, type ToolCall } from "../live/session.ts";
import { SessionNotices } from "../live/session-notices.ts";
import { SharedEngines } from "../live/shared-engines.ts";
import { peekSessions } from "../recorded/session-files.ts";
import { healMisfit } from "./misfit-patch.ts";
import { CODEX_PORT } from "./port.ts";
import { codexReader, threadIn } from "./reader.ts";
import { TranscriptFollower } from "./transcript-follower.ts";

/** Of a batch that runs at the same time. */
const MAX_OPEN_CALLS = 64;

const PATCH_TOOL = "apply_patch";

const MAX_SESSIONS = 64;

/** The user's way to find what left. */
const SEARCH = "weft grep WORDS";

/** Hooks whose answer may hold a message to the user. */
const TELLING_EVENTS = new Set(["UserPromptSubmit", "Stop"]);

/** The process that Codex has started for one hook. */
export interface HookProcess {
	readonly env: NodeJS.ProcessEnv;
	/** `--home`. */
	readonly home: string | undefined;
	/** The folder of a session that does not say where it runs. */
	readonly folder: string;
}

/** Answers hooks of Codex. In a process that stays, hooks share their engines, and a session's file is read only once. */
export class CodexLive {
	readonly #engines: SharedEngines;
	readonly #transcripts = new TranscriptFollower();
	/** Where sessions run, by their files. */
	readonly #folders = new BoundedMap<string, string>(MAX_SESSIONS);

	constructor(options: { readonly stays: boolean }) {
		this.#engines = new SharedEngines(CODEX_PORT, options);
	}

	/** Never throws. Undefined: Codex carries on. */
	async answer(event: JsonObject, { env, home, folder }: HookProcess): Promise<JsonObject | undefined> {
		const cwd = await this.folderOf(event, folder);
		const { engine: opened, notices, release } = this.#engines.use({ env, home, cwd });
		const { door } = opened;
		const told: string[] = [];
		const answer = await door.passAsync("hook", async () => {
			const project = opened.project();
			if (!project) return undefined;
			const given = await this.#answerHook(event, project, { cwd, door });
			if (isTelling(event)) door.pass("notice", () => told.push(...sealNotices(event, project, cwd)));
			return given;
		});
		release();
		const systemMessage = messageOf(event, [...notices, ...told], cwd);
		return systemMessage === "" ? answer : { ...answer, systemMessage };
	}

	/** Where the session of a hook runs. */
	async folderOf(event: JsonObject, folder: string): Promise<string> {
		const transcript = asName(event["transcript_path"]) ?? "";
		const known = this.#folders.get(transcript);
		if (known !== undefined) return known;
		const found = await folderInTranscript(transcript).catch(() => undefined);
		if (found !== undefined) this.#folders.set(transcript, found);
		return found ?? asName(event["cwd"]) ?? folder;
	}

	close(): void {
		this.#engines.close();
	}

	async #answerHook(
		event: JsonObject,
		project: LiveProject,
		{ cwd, door }: { readonly cwd: string; readonly door: Door },
	): Promise<JsonObject | undefined> {
		const { engine } = project;
		const transcript = asName(event["transcript_path"]);
		// Without new lines the hook is answered with what is known.
		if (transcript !== undefined && !engine.log.readOnly)
			await door.passAsync("hook", () => this.#transcripts.catchUp(transcript, engine.log));
		const session = project.session({ session: sessionOf(event), host: CODEX_PORT.name }, cwd);
		switch (event["hook_event_name"]) {
			case "UserPromptSubmit":
				return recall(session, asText(event["prompt"]) ?? "");
			case "PreToolUse":
				return judge(session, callOf(event, cwd));
			case "PostToolUse":
				return look(session, startedCall(engine, session, callOf(event, cwd)), asText(event["tool_response"]) ?? "");
			case "PreCompact":
				await session.beforeCompaction();
				return undefined;
			case "Stop":
				session.turnEnded({ isRunOver: true });
				return undefined;
			case "SessionEnd":
				session.ended();
				if (transcript !== undefined) this.#transcripts.forget(transcript);
				return undefined;
			default:
				return undefined;
		}
	}
}

/** The answer to one hook, on its own: opens the project, answers and closes it. Never throws. */
export async function answerOnce(event: JsonObject, process: HookProcess): Promise<JsonObject | undefined> {
	return new CodexLive({ stays: false }).answer(event, process);
}

/** Records that a hook could not be read. */
export function recordHookFault(error: unknown, { env, home, folder: cwd }: HookProcess): void {
	const opened = openAgentEngine({ port: CODEX_PORT, cwd, env, home, warn: () => {} });
	opened.project();
	opened.door.fail("message", error);
	opened.close();
}

/** Codex shows a message to the user only from some hooks, and a hook may be answered by a process of its own. */
function messageOf(event: JsonObject, notices: readonly string[], cwd: string): string {
	const all = new SessionNotices(noticesName(event, cwd));
	if (isTelling(event)) return all.take(notices).join("\n");
	all.keep(notices);
	return "";
}

function isTelling(event: JsonObject): boolean {
	return TELLING_EVENTS.has(asText(event["hook_event_name"]) ?? "");
}

/** Names the session among all of this user's. */
function noticesName(event: JsonObject, cwd: string): string {
	return `${CODEX_PORT.name} ${cwd} ${asName(event["session_id"])}`;
}

/** Seals by the proxy since the user's last prompt but one. Their words change with what is learnt, so each is known by its event. */
function sealNotices(event: JsonObject, project: LiveProject, cwd: string): string[] {
	const { engine } = project;
	const session = project.session({ session: sessionOf(event), host: CODEX_PORT.name }, cwd);
	const [, before] = engine.log.read({ ...session.ref, types: ["UserIntent"], order: "newest", limit: 2 });
	const told = new SessionNotices(`${noticesName(event, cwd)} seals`);
	return findTakenOffers(engine, session.ref, before?.seq ?? 0)
		.filter(({ seq }) => told.take([String(seq)]).length > 0)
		.map(({ seal }) => `weft ${session.sealNotice(seal, SEARCH)}`);
}

/** Where the session runs, by its own file. A hook names the folder of its command, which may be in another project. */
async function folderInTranscript(transcript: string): Promise<string | undefined> {
	const [found] = transcript === "" ? [] : await peekSessions(transcript, [codexReader]);
	return found?.cwd;
}

async function recall(session: LiveSession, prompt: string): Promise<JsonObject | undefined> {
	const additionalContext = await session.recallBeside(prompt);
	return additionalContext === undefined ? undefined : hookOutput("UserPromptSubmit", { additionalContext });
}

async function judge(session: LiveSession, call: ToolCall): Promise<JsonObject | undefined> {
	const verdict = session.judge(call);
	if (verdict.action === "block")
		return hookOutput("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: verdict.reason });
	const additionalContext = toolClass(call.tool) === "patch" ? await healMisfit(session, call) : undefined;
	return additionalContext === undefined ? undefined : hookOutput("PreToolUse", { additionalContext });
}

/** Codex cuts the middle out of a long output, and keeps the whole nowhere. */
const CUT = /^Warning: truncated output \(original token count: \d+\)\n/;

async function look(session: LiveSession, call: ToolCall, text: string): Promise<JsonObject | undefined> {
	const findWhole = () => (CUT.test(text) ? "lost" : undefined);
	// A hook says nothing of the exit status: the output must tell.
	const details = { exitCode: null };
	const seen = await session.look(call, { text, isError: false, details, canReplace: true, findWhole });
	// The reason takes the place of the output, notes included.
	if (seen.text !== text) return { decision: "block", reason: insideText(seen) };
	const additionalContext = besideText(seen, CODEX_PORT.maxBesideChars);
	return additionalContext === undefined ? undefined : hookOutput("PostToolUse", { additionalContext });
}

/** When the call began, by Codex's own file: the process that judged it before it ran may be gone. */
function startedCall({ log }: Engine, { ref }: LiveSession, call: ToolCall): ToolCall {
	const calls = log.read({ ...ref, types: ["ToolCalled"], order: "newest", limit: MAX_OPEN_CALLS });
	const started = Iterator.from(calls).find(({ payload }) => payload["callId"] === call.callId);
	return started ? { ...call, startedAt: started.ts } : call;
}

function callOf(event: JsonObject, cwd: string): ToolCall {
	const given = asObject(event["tool_input"]) ?? {};
	const folder = asName(event["cwd"]) ?? cwd;
	// A hook says `Bash` for the tool that the model, and Codex's own file, call `exec_command`.
	const named = asName(event["tool_name"]) ?? "";
	const tool = named === "Bash" ? "exec_command" : named;
	const callId = asName(event["tool_use_id"]) ?? "";
	const command = asText(given["command"]);
	// A patch comes as a command here, and as an input in Codex's own file.
	if (toolClass(tool) === "patch") return { tool, callId, folder, input: { input: command ?? asText(given["input"]) } };
	const inShell = command === undefined ? undefined : patchIn(command);
	if (!inShell) return { tool, callId, folder, input: given };
	return { tool: PATCH_TOOL, callId, folder: folderOf(folder, inShell), input: { input: inShell.patch } };
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
