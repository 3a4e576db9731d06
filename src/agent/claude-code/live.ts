/**
 * A session of Claude Code that runs now, seen from weft's MCP server, which the program starts and whose tool its hooks call.
 * Whatever fails here is written down and said once; the program goes on as if we were not there.
 */

import type { JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { placeOf } from "../../state/session/session-place.ts";
import { Door, type Fault } from "../live/door.ts";
import type { LiveHost, OpenEngine } from "../live/live-host.ts";
import { recallBlock } from "../live/recall-for.ts";
import { answer, GuardHooks, type HookAnswer, sessionOf } from "./guard-hooks.ts";
import { type HookEvent, readHookEvent } from "./hook-event.ts";
import { ClaudeCodeMemory } from "./memory.ts";
import { Recorder } from "./recorder.ts";
import { SealHooks } from "./seal-hooks.ts";
import { ServerMark } from "./server-mark.ts";
import { CLAUDE_CODE_HOST } from "./translate.ts";

export interface ClaudeCodeOptions {
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
	readonly open: OpenEngine;
	readonly record: (fault: Fault) => boolean;
}

/** Longer ones become a file that nobody reads. */
const MAX_RECALL_CHARS = 9_900;

export class ClaudeCodeLive implements LiveHost {
	readonly #options: ClaudeCodeOptions;
	readonly #door: Door;
	readonly #recorder: Recorder;
	readonly #guard = new GuardHooks();
	readonly #seals: SealHooks;
	readonly #memory: ClaudeCodeMemory;
	readonly #mark: ServerMark;
	/** Where sessions began, by their names. */
	readonly #folders = new Map<string, string>();
	#session: string | undefined;
	/** For the person, with the next answer. */
	#notice: string | undefined;

	constructor(options: ClaudeCodeOptions) {
		this.#options = options;
		this.#session = options.env["CLAUDE_CODE_SESSION_ID"] || undefined;
		this.#door = new Door({
			record: (fault) => void options.record(fault),
			tell: (notice) => {
				this.#notice = `weft: ${notice}`;
			},
			goesOn: "Claude Code goes on without it",
		});
		const { env, open } = options;
		const onFault = (where: string, error: unknown) => this.#door.fail(where, error);
		this.#recorder = new Recorder({ env, open, onFault });
		this.#memory = new ClaudeCodeMemory(onFault);
		this.#mark = new ServerMark(env);
		this.#seals = new SealHooks({ isProxied: Boolean(env["WEFT_PROXY"]), onFault });
	}

	session(): SessionRef | undefined {
		return this.#session === undefined ? undefined : { session: this.#session, host: CLAUDE_CODE_HOST };
	}

	catchUp(): Promise<void> {
		return this.#recorder.catchUp(this.#session);
	}

	async end(): Promise<void> {
		await this.catchUp();
		this.#door.pass("memory", () => this.#memory.end());
		this.#door.pass("mark", () => this.#mark.clear());
	}

	async hook(args: JsonObject): Promise<string> {
		const event = readHookEvent(args);
		const { session } = event;
		if (session !== undefined) this.#door.pass("mark", () => this.#mark.set(session));
		const said = await this.#door.passAsync(`hook ${event.event}`, () => this.#answer(event));
		if (typeof said === "string") return said;
		const systemMessage = this.#notice;
		this.#notice = undefined;
		return JSON.stringify({ ...said, ...(systemMessage !== undefined && { systemMessage }) });
	}

	async #answer(event: HookEvent): Promise<HookAnswer | string> {
		if (event.session !== undefined) {
			this.#session = event.session;
			this.#recorder.learn(event.session, event.transcript);
		}
		await this.catchUp();
		const engine = this.#options.open();
		if (!engine) return undefined;
		const cwd = this.#folderOf(engine, event);
		switch (event.event) {
			case "PreToolUse":
				return this.#guard.before(engine, event, cwd);
			case "PostToolUse":
			case "PostToolUseFailure":
				return this.#guard.after(engine, event, cwd);
			case "PostToolBatch":
				return this.#guard.batch(engine, event, cwd);
			case "UserPromptSubmit":
				return this.#recall(engine, event);
			case "Stop":
				this.#memory.turnEnded(engine, sessionOf(event));
				return undefined;
			case "PreCompact":
				this.#memory.beforeCompaction(engine, sessionOf(event));
				return this.#seals.before(engine, event, () => this.catchUp());
			case "SessionStart":
				return this.#seals.after(engine, event);
			default:
				return undefined;
		}
	}

	/** Where the session began: the shell may stand elsewhere by now. */
	#folderOf(engine: Engine, event: HookEvent): string {
		const ref = sessionOf(event);
		const known = this.#folders.get(ref.session);
		if (known !== undefined) return known;
		const { cwd } = placeOf(engine.log, ref);
		if (cwd === "") return this.#options.cwd;
		this.#folders.set(ref.session, cwd);
		return cwd;
	}

	async #recall(engine: Engine, event: HookEvent): Promise<HookAnswer> {
		if (!engine.settings.memory || event.prompt === undefined || event.agent !== undefined) return undefined;
		const block = await recallBlock(engine, sessionOf(event), event.prompt);
		return (
			block && answer("UserPromptSubmit", { additionalContext: block.text.slice(0, MAX_RECALL_CHARS).toWellFormed() })
		);
	}
}
