/**
 * What `lossless` would have sent: the host's history, and where it grows too long, our DAG of summaries in the place of
 * what leaves. Written by the deterministic summariser, so that no model is asked and nothing is paid for.
 */
import { ceilingTokens } from "../context/seal/rule.ts";
import { assembleHistory } from "../history/assemble.ts";
import { compact } from "../history/compact.ts";
import { History } from "../history/history.ts";
import { HISTORY_DEFAULTS, type HistoryPath } from "../history/types.ts";
import type { Log } from "../log/log.ts";
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

/** Of what a request may take, in windows too small for the usual sizes. */
const KEPT_SHARE = 0.3;
const LONGEST_TAIL_SHARE = 0.6;
const SUMMARY_SHARE = 0.2;

interface Cut {
	readonly first: number;
	/** Of the first message that stays: on another branch another message stands in its place. */
	readonly firstId: string;
	readonly history: PlannedMessage;
}

export class LosslessMode implements Mode {
	readonly #history: History;
	readonly #limit: number;
	readonly #settings;
	#cut: Cut | undefined;
	#compactions = 0;

	constructor({ log, window, fixed }: LosslessModeOptions) {
		this.#history = new History(log);
		this.#limit = Math.max(0, Math.min(window - RESERVED_TOKENS, ceilingTokens(window)) - fixed);
		const atMost = (tokens: number, share: number) => Math.min(tokens, Math.floor(this.#limit * share));
		this.#settings = {
			keepTokens: atMost(HISTORY_DEFAULTS.keepTokens, KEPT_SHARE),
			ceilingTokens: atMost(HISTORY_DEFAULTS.ceilingTokens, LONGEST_TAIL_SHARE),
			maxSummaryTokens: atMost(HISTORY_DEFAULTS.maxSummaryTokens, SUMMARY_SHARE),
		};
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
		const now = () => call.answer.ts;
		const { path } = await compact(this.#history, { session, leaf, settings: this.#settings, now });
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
			maxTokens: this.#settings.maxSummaryTokens,
			...(newest && newest.seq <= covered ? { request: { seq: newest.seq, text: newest.text } } : {}),
		});
		return history && { first, firstId: messages[first]!.id, history: planText(history.text) };
	}
}
