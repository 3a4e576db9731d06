/**
 * What the host itself would have sent: its whole history, compacted near the window's end. A recorded compaction counts
 * where it stands; where the session never compacted but would have had to, 2,000 tokens of what left stand for a summary.
 */
import { cutToBytes } from "../context/section/section.ts";
import { keepNewest } from "../message/turns.ts";
import { bytesOfTokens } from "../tokens/estimate.ts";
import type { Compaction, Path, SentMessage } from "./path.ts";
import { type Mode, type PlannedMessage, type PlannedRequest, planText, sumTokens } from "./planned.ts";
import type { RecordedCall } from "./recording.ts";

/** Pi compacts when less than this is left of the window. */
export const RESERVED_TOKENS = 16_384;
const KEPT_TOKENS = 20_000;
const SUMMARY_TOKENS = 2_000;

/** From `first` on the messages stand as they were; the summary stands for the others. */
interface Cut {
	readonly first: number;
	/** Of the first message that stays: on another branch another message stands in its place. */
	readonly firstId: string | undefined;
	/** How many messages there were when it was made. */
	readonly at: number;
	readonly summary: PlannedMessage;
}

export class HostMode implements Mode {
	readonly #limit: number;
	readonly #fixed: number;
	#cut: Cut | undefined;
	/** Compactions of the recording whose summariser call has been counted. */
	readonly #paid = new Set<string>();
	#compactions = 0;

	constructor(window: number, fixed: number) {
		this.#limit = window - RESERVED_TOKENS;
		this.#fixed = fixed;
	}

	get seals(): number {
		return this.#compactions;
	}

	plan(_call: RecordedCall, path: Path): PlannedRequest {
		const { messages } = path;
		const before = this.#cut;
		let cut = before && messages[before.first]?.id === before.firstId ? before : undefined;
		let summarised = 0;
		const recorded = path.compactions.at(-1);
		if (recorded && recorded.at >= (cut?.at ?? 0)) {
			const first = firstKept(recorded, messages);
			if (!this.#paid.has(recorded.id)) summarised += sumTokens(messages.slice(cut?.first ?? 0, first));
			if (!this.#paid.has(recorded.id)) this.#compactions++;
			this.#paid.add(recorded.id);
			cut = { first, firstId: messages[first]?.id, at: recorded.at, summary: planText(recorded.summary) };
		}
		const size = this.#fixed + (cut?.summary.tokens ?? 0) + sumTokens(messages, cut?.first ?? 0);
		const first = size > this.#limit ? keepNewest(messages, { limit: KEPT_TOKENS, least: cut?.first ?? 0 }) : 0;
		if (first > (cut?.first ?? 0)) {
			const leaving = messages.slice(cut?.first ?? 0, first);
			summarised += sumTokens(leaving) + (cut?.summary.tokens ?? 0);
			const text = leaving.map((message) => message.text).join("\n");
			const summary = planText(cutToBytes(text, bytesOfTokens(SUMMARY_TOKENS)));
			cut = { first, firstId: messages[first]!.id, at: messages.length, summary };
			this.#compactions++;
		}
		this.#cut = cut;
		const changed = cut?.first !== before?.first || cut?.summary.key !== before?.summary.key;
		const planned = cut ? [cut.summary, ...messages.slice(cut.first)] : [...messages];
		return { messages: planned, summarised, ...(cut && changed ? { reason: "the host compacted" } : {}) };
	}
}

/** The messages behind the compaction always stay, those before it as far as it says. */
function firstKept({ at, firstKept: entry }: Compaction, messages: readonly SentMessage[]): number {
	const found = entry === undefined ? -1 : messages.findIndex((message) => message.id === entry);
	return found >= 0 && found <= at ? found : at;
}
