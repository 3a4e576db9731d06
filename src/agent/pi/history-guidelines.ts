/**
 * The size of the history, as a guideline of its tools. Guidelines are part of the system prompt, so new counts change the
 * first bytes of a request. They change only when a prompt starts and no request has followed the newest seal: the messages
 * are new then anyway. Read from the log, so that a restarted process renders the same text.
 */

import { plural } from "../../base/text/bytes.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { History, HistoryStats } from "../../state/history/history.ts";

export class HistoryGuidelines {
	#session = "";
	#readTo = 0;
	/** seq of the seal whose counts the model has seen. */
	#shown: number | undefined;
	/** seq of the newest seal, until a request follows it. */
	#fresh: number | undefined;
	/** The first seal of `lossless` changes the prompt anyway, because the history preamble appears with it. */
	#isLossless = false;

	/** Call when a prompt starts. Empty before the first seal. */
	lines(history: History, session: SessionRef): string[] {
		this.#read(history, session);
		const seal = this.#fresh ?? this.#shown;
		const stats = seal === undefined ? undefined : history.stats(session, seal);
		return stats && stats.nodes > 0 ? [describe(stats)] : [];
	}

	#read({ log }: History, session: SessionRef): void {
		if (this.#session !== session.session) {
			this.#session = session.session;
			this.#readTo = 0;
			this.#shown = undefined;
			this.#fresh = undefined;
			this.#isLossless = false;
		}
		const [anySeal] = log.read({ ...session, types: ["Seal"], limit: 1 });
		if (!anySeal) return;
		const after = Math.max(this.#readTo, anySeal.seq - 1);
		for (const { seq, type, payload } of log.read({ ...session, types: ["Seal", "Request", "UserIntent"], after })) {
			this.#readTo = seq;
			if (type === "UserIntent") this.#shown = this.#fresh ?? this.#shown;
			if (type === "Seal") {
				this.#fresh = seq;
				this.#isLossless = payload["mode"] === "lossless";
			} else if (type === "UserIntent" || !(this.#isLossless && this.#shown === undefined)) this.#fresh = undefined;
		}
	}
}

function describe({ messages, nodes, depth }: HistoryStats): string {
	const stands = nodes === 1 ? "stands" : "stand";
	return `At the last seal the history held ${plural(messages, "message")}; ${plural(nodes, "summary", "summaries")} (depth ${depth}) ${stands} for what had left.`;
}
