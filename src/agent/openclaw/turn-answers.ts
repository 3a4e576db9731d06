/**
 * The answers of the current turn, as the host holds them. The host withholds them from `assemble` and appends them to its result with
 * their thinking, which a model that binds thinking refuses once anything before it has changed. The host would heal each such request
 * of the turn with a second one. It passes every answer to `before_message_write` before it stores it, so weft takes the thinking out of
 * the same object that is appended. The host's transcript and weft's log keep it.
 */
import { hasThinking, withoutThinking } from "../../message/thinking.ts";
import type { AgentMessage } from "./contract.ts";

export class TurnAnswers {
	/** By the key of a session whose turn weft serves. */
	readonly #bySession = new Map<string, AgentMessage[]>();

	/** A turn runs: its answers count from now on. */
	begin(sessionKey: string | undefined): void {
		const key = sessionKey ?? "";
		if (!this.#bySession.has(key)) this.#bySession.set(key, []);
	}

	end(sessionKey: string | undefined): void {
		this.#bySession.delete(sessionKey ?? "");
	}

	/** The host stores a message. */
	written(message: AgentMessage, sessionKey: string | undefined): void {
		if (hasThinking(message)) this.#bySession.get(sessionKey ?? "")?.push(message);
	}

	/** Changes the host's own objects: they are what it appends. */
	leaveOutThinking(sessionKey: string | undefined): void {
		const key = sessionKey ?? "";
		const answers = this.#bySession.get(key) ?? [];
		for (const answer of answers) Object.assign(answer, { content: withoutThinking(answer)["content"] });
		if (answers.length > 0) this.#bySession.set(key, []);
	}
}

const KEY = Symbol.for("weft.openclaw.turn-answers");

/** One for the process, because the host registers the plugin many times. */
export function turnAnswers(): TurnAnswers {
	const home = globalThis as { [KEY]?: TurnAnswers };
	home[KEY] ??= new TurnAnswers();
	return home[KEY];
}
