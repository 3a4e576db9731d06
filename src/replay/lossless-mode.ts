/**
 * What `lossless` would have sent: the host's history, and where it grows too long, our DAG of summaries in the place of
 * what leaves. Written by the deterministic summariser, so that no model is asked and nothing is paid for.
 */
import { ceilingTokens } from "../assembly/seal-rule.ts";
import type { Log } from "../log/log.ts";
import { assembleHistory } from "../summary/assemble.ts";
import { compact } from "../summary/compact.ts";
import { History } from "../summary/history.ts";
import { HISTORY_DEFAULTS, type HistoryPath } from "../summary/types.ts";
import { RESERVED_TOKENS } from "./host-mode.ts";
import type { Path, SentMessage } from "./path.ts";
import { type Mode, type PlannedMessage, type PlannedRequest, planText, sumTokens } from "./planned.ts";
import type { RecordedCall } from "./recording.ts";

export interface LosslessModeOptions {
	readonly log: Log;
	readonly window: number;
	/** Tokens of the system prompt and tools. */
	readonly fixed: number;
}

interface Cut {
	readonly first: number;
	/** Of the first message that stays: on another branch another message stands in its place. */
	readonly firstId: string;
	readonly history: PlannedMessage;
}

export class LosslessMode implements Mode {
	readonly #history: History;
	readonly #limit: number;
	#cut: Cut | undefined;
	#compactions = 0;

	constructor({ log, window, fixed }: LosslessModeOptions) {
		this.#history = new History(log);
		this.#limit = Math.min(window - RESERVED_TOKENS, ceilingTokens(window)) - fixed;
	}

	get seals(): number {
		return this.#compactions;
	}

	async plan(call: RecordedCall, { messages }: Path): Promise<PlannedRequest> {
		const { session, leaf } = call;
		if (this.#cut && messages[this.#cut.first]?.id !== this.#cut.firstId) {
			// Another branch: its nodes are still there.
			this.#cut = leaf === null ? undefined : this.#cutAt(this.#history.path(session, leaf), messages);
		}
		if (leaf === null || this.#size(messages) <= this.#limit) return this.#request(messages, undefined);
		const { path } = await compact(this.#history, { session, leaf, now: () => call.answer.ts });
		const cut = this.#cutAt(path, messages);
		// Nothing more can leave: the newest turn alone is too large.
		if (!cut || cut.first <= (this.#cut?.first ?? 0)) return this.#request(messages, undefined);
		this.#cut = cut;
		this.#compactions++;
		return this.#request(messages, "compacted");
	}

	#size(messages: readonly SentMessage[]): number {
		return (this.#cut?.history.tokens ?? 0) + sumTokens(messages, this.#cut?.first ?? 0);
	}

	#request(messages: readonly SentMessage[], reason: string | undefined): PlannedRequest {
		const planned = this.#cut ? [this.#cut.history, ...messages.slice(this.#cut.first)] : [...messages];
		return { messages: planned, ...(reason === undefined ? {} : { reason }) };
	}

	/** Undefined: nothing is covered on this path. */
	#cutAt({ nodes }: HistoryPath, messages: readonly SentMessage[]): Cut | undefined {
		const covered = nodes.at(-1)?.last;
		if (covered === undefined) return undefined;
		const first = messages.findLastIndex(({ seq }) => seq <= covered) + 1;
		if (first === 0 || first === messages.length) return undefined;
		const newest = messages.findLast(({ asks }) => asks);
		const history = assembleHistory(this.#history, nodes, {
			maxTokens: HISTORY_DEFAULTS.maxSummaryTokens,
			...(newest && newest.seq <= covered ? { request: { seq: newest.seq, text: newest.text } } : {}),
		});
		return history && { first, firstId: messages[first]!.id, history: planText(history.text) };
	}
}
