/**
 * How much the history holds, among the guidelines of its tools. They stand in the system prompt, before everything else: new
 * counts change its bytes. So they change only with a seal that no request has followed when a prompt starts: what comes after
 * the system prompt is new then anyway. Read from the log, so that a new process says the same.
 */

import { plural } from "../../base/text/bytes.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { History, HistoryStats } from "../../state/history/history.ts";

export class HistoryGuidelines {
	#session = "";
	#readTo = 0;
	/** The seal whose counts the model was shown. */
	#shown: number | undefined;
	/** The newest seal, while no request has left since. */
	#fresh: number | undefined;
	/** The prompt that follows the first seal of `lossless` is another one anyway: it is the first to speak of the history. */
	#isLossless = false;

	/** To be asked when a prompt starts. None before the first seal. */
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
