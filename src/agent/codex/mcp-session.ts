/**
 * Codex at the MCP server: each call names its session. The server reads the session's own file before it answers, so the
 * history is there without a hook or a proxy.
 */
import { asName, type JsonObject } from "../../base/json/read.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { ConnectedAgent } from "../live/connected-agent.ts";
import type { LiveSessionFiles } from "../live/live-session-files.ts";
import { CODEX } from "./translate.ts";

export class CodexMcpSession implements ConnectedAgent {
	readonly #files: LiveSessionFiles;
	readonly #onFault: (where: string, error: unknown) => void;
	#session: SessionRef | undefined;

	constructor(files: LiveSessionFiles, onFault: (where: string, error: unknown) => void) {
		this.#files = files;
		this.#onFault = onFault;
	}

	tell(meta: JsonObject): void {
		const [thread, session] = [asName(meta["threadId"]), asName(meta["sessionId"])];
		// A sub-agent has a thread of its own, and asks for its parent's history.
		const id = meta["x-codex-turn-metadata"] === undefined ? undefined : (session ?? thread);
		if (id !== undefined) this.#session = { session: id, host: CODEX };
	}

	session(): SessionRef | undefined {
		return this.#session;
	}

	async catchUp(): Promise<void> {
		if (!this.#session) return;
		try {
			await this.#files.catchUp({ agent: CODEX, id: this.#session.session });
		} catch (error) {
			this.#onFault("record", error);
		}
	}

	async end(): Promise<void> {
		await this.catchUp();
		await this.#files.close();
	}
}
