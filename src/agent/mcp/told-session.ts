/**
 * Agents that name their session with each call, as Codex does. Their own file of it is read in before an answer, so that the
 * history is there without a hook or a proxy.
 */
import { asName, type JsonObject } from "../../base/json/read.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { LiveFiles } from "../live/live-files.ts";
import type { LiveHost } from "../live/live-host.ts";

const CODEX = "codex";

export class ToldSession implements LiveHost {
	readonly #files: LiveFiles;
	readonly #onFault: (where: string, error: unknown) => void;
	#session: SessionRef | undefined;

	constructor(files: LiveFiles, onFault: (where: string, error: unknown) => void) {
		this.#files = files;
		this.#onFault = onFault;
	}

	tell(meta: JsonObject): void {
		const [thread, session] = [asName(meta["threadId"]), asName(meta["sessionId"])];
		// A thread of its own is a sub-agent, which asks for its parent's history.
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
