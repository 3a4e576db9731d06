/**
 * A running session of Claude Code, seen from weft's MCP server: the program starts the server, and its hooks call a tool of
 * it. A failure is recorded and reported once; the program carries on as if weft were not there.
 */

import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readBounded, textOf } from "../../base/file/regular-file.ts";
import { asText, type JsonObject, parseObject } from "../../base/json/read.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { placeOf } from "../../state/session/session-state.ts";
import type { AgentEngine } from "../live/agent-engine.ts";
import type { ConnectedAgent } from "../live/connected-agent.ts";
import type { Door } from "../live/door.ts";
import { pluginNotice } from "../live/plugin-version.ts";
import type { LiveProject } from "../live/project.ts";
import type { LiveSession } from "../live/session.ts";
import { type ClaudeHookEvent, readHookEvent } from "./hook-event.ts";
import { CLAUDE_CODE_PORT } from "./port.ts";
import { SealHooks } from "./seal-hooks.ts";
import { ServerMark } from "./server-mark.ts";
import { answer, type ClaudeHookAnswer, ToolHooks } from "./tool-hooks.ts";
import { TranscriptRecorder } from "./transcript-recorder.ts";

export interface ClaudeCodeOptions {
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
	/** The process that Claude Code has started as its server. */
	readonly pid: number;
	readonly opened: Pick<AgentEngine, "engine" | "project" | "door">;
}

/** It writes its lines within a tenth of a second. */
const MAX_UNWRITTEN_MS = 400;
const LOOK_AGAIN_MS = 25;

export class ClaudeCodeLive implements ConnectedAgent {
	readonly #options: ClaudeCodeOptions;
	readonly #door: Door;
	readonly #recorder: TranscriptRecorder;
	readonly #tools = new ToolHooks();
	readonly #seals: SealHooks;
	readonly #mark: ServerMark;
	/** True: weft's proxy answers the program's compactions. */
	readonly #isProxied: boolean;
	/** Where sessions began, by their names. */
	readonly #folders = new Map<string, string>();
	/** Sessions that have read, by their names. */
	readonly #awaited = new Set<string>();
	#session: string | undefined;
	readonly #notices: string[] = [];
	#isVersionKnown = false;

	constructor(options: ClaudeCodeOptions) {
		const { env, opened } = options;
		this.#options = options;
		this.#session = env["CLAUDE_CODE_SESSION_ID"] || undefined;
		this.#door = opened.door;
		const onFault = (where: string, error: unknown) => this.#door.fail(where, error);
		this.#recorder = new TranscriptRecorder({ env, open: opened.engine, onFault });
		this.#mark = new ServerMark(env, options.pid);
		this.#isProxied = Boolean(env["WEFT_PROXY"]);
		const tell = (notice: string) => this.#door.tell(notice);
		this.#seals = new SealHooks({ isProxied: this.#isProxied, tell, onFault });
	}

	/** Shown to the user with the next answer to a hook. */
	notify(notice: string): void {
		this.#notices.push(notice);
	}

	session(): SessionRef | undefined {
		return this.#session === undefined ? undefined : { session: this.#session, host: CLAUDE_CODE_PORT.name };
	}

	catchUp(): Promise<void> {
		return this.#recorder.catchUp(this.#session);
	}

	async end(): Promise<void> {
		await this.catchUp();
		const session = this.session();
		if (session) this.#door.pass("end", () => this.#options.opened.project()?.end(session));
		this.#door.pass("mark", () => this.#mark.clear());
	}

	async hook(args: JsonObject): Promise<string> {
		const event = readHookEvent(args);
		const { session } = event;
		if (session !== undefined) this.#door.pass("mark", () => this.#mark.set(session));
		const result = await this.#door.passAsync(`hook ${event.event}`, () => this.#answer(event));
		if (typeof result === "string") return result;
		const systemMessage = this.#notices.splice(0).join("\n");
		return JSON.stringify({ ...result, ...(systemMessage !== "" && { systemMessage }) });
	}

	async #answer(event: ClaudeHookEvent): Promise<ClaudeHookAnswer | string> {
		if (event.session !== undefined) {
			this.#session = event.session;
			this.#recorder.learn(event.session, event.transcript);
		}
		await this.catchUp();
		const project = this.#options.opened.project();
		if (!project) return undefined;
		const session = this.#sessionOf(project, event);
		switch (event.event) {
			case "PreToolUse":
				await this.#awaitAnswer(session, event);
				return this.#tools.before(session, event);
			case "PostToolUse":
			case "PostToolUseFailure":
				return this.#tools.after(session, event);
			case "PostToolBatch":
				return this.#tools.batch(session, event);
			case "UserPromptSubmit":
				this.#tellOfVersion();
				this.#tellOfRewrite(session, event);
				return recall(session, event);
			case "Stop":
				session.turnEnded({ isRunOver: true });
				return undefined;
			case "PreCompact":
				return this.#seals.before(project.engine, session, event, () => this.catchUp());
			case "SessionStart":
				return this.#seals.after(project.engine, session, event);
			default:
				return undefined;
		}
	}

	/** The program may write its first answer after it has called a tool: until then the room for a read is not known. */
	async #awaitAnswer(session: LiveSession, { tool }: ClaudeHookEvent): Promise<void> {
		const { session: name } = session.ref;
		if (tool !== "Read" || this.#awaited.has(name)) return;
		this.#awaited.add(name);
		for (const until = Date.now() + MAX_UNWRITTEN_MS; !session.isAnswered && Date.now() < until; ) {
			await pause(LOOK_AGAIN_MS);
			await this.catchUp();
		}
	}

	#tellOfVersion(): void {
		if (this.#isVersionKnown) return;
		this.#isVersionKnown = true;
		const update = "Run 'weft init claude', or update the plugin with /plugin.";
		const notice = pluginNotice(pluginVersion(this.#options.env), update);
		if (notice !== undefined) this.#door.tell(notice);
	}

	/** The program does not say which model it asks next: a pause shows here, another model in the status line. */
	#tellOfRewrite(session: LiveSession, { agent }: ClaudeHookEvent): void {
		const isSummarised = !this.#isProxied;
		const notice = agent === undefined ? session.rewriteNotice({}, { isSummarised }) : undefined;
		if (notice !== undefined) this.#door.tell(notice);
	}

	/** A sub-agent is a session of its own, as in its file. Paths are named from where the session began: the shell may have moved on. */
	#sessionOf(project: LiveProject, { session = "-", agent }: ClaudeHookEvent): LiveSession {
		const name = agent === undefined ? session : `${session}/${agent}`;
		const ref = { session: name, host: CLAUDE_CODE_PORT.name };
		const cwd = this.#folders.get(name) ?? placeOf(project.engine.log, ref).cwd;
		if (cwd !== "") this.#folders.set(name, cwd);
		return project.session(ref, cwd === "" ? this.#options.cwd : cwd);
	}
}

/** A sub-agent's prompt is written by the agent, not by the user. */
async function recall(session: LiveSession, { prompt = "", agent }: ClaudeHookEvent): Promise<ClaudeHookAnswer> {
	const additionalContext = agent === undefined ? await session.recallBeside(prompt) : undefined;
	return additionalContext === undefined ? undefined : answer("UserPromptSubmit", { additionalContext });
}

const MAX_MANIFEST_BYTES = 100_000;

/** Undefined: the program does not say where the plugin is. */
function pluginVersion(env: NodeJS.ProcessEnv): string | undefined {
	const root = env["CLAUDE_PLUGIN_ROOT"];
	if (!root) return undefined;
	const manifest = textOf(readBounded(join(root, ".claude-plugin", "plugin.json"), MAX_MANIFEST_BYTES));
	return asText(parseObject(manifest)?.["version"]);
}
