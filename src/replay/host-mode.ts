/**
 * What the host itself would have sent: its whole history, compacted near the window's end. A recorded compaction counts
 * where it stands; where the session never compacted but would have had to, a summary of 2,000 tokens stands in.
 */
import { bytesOfTokens, estimateTokens } from "../tokens/estimate.ts";
import type { WireMessage } from "../transcript/wire.ts";
import type { PathStep, RecordedCall, RecordedMessage } from "./recording.ts";

const RESERVED_TOKENS = 16_384;
const KEPT_TOKENS = 20_000;
const SUMMARY_TOKENS = 2_000;

export interface PlannedMessage {
	/** Equal key, equal bytes. */
	readonly key: string;
	readonly wire: WireMessage;
	readonly tokens: number;
	readonly cached: boolean;
	readonly text: string;
}

export interface PlannedRequest {
	readonly messages: readonly PlannedMessage[];
	/** Tokens that a summariser model read before this request. */
	readonly summarised: number;
	/** Why bytes sent before changed, where they did. */
	readonly reason?: string;
}

export class HostMode {
	readonly #limit: number;
	readonly #fixed: number;
	/** Entry from which messages are kept, and the text before it, as long as the path holds it. */
	#cut: { readonly from: string; readonly summary: PlannedMessage } | undefined;
	#compactions = 0;

	constructor(window: number, fixed: number) {
		this.#limit = window - RESERVED_TOKENS;
		this.#fixed = fixed;
	}

	plan(call: RecordedCall): PlannedRequest {
		const messages = call.path.flatMap(messageOf);
		const recorded = call.path.findLast((step) => step.kind === "compaction");
		if (recorded?.kind === "compaction") {
			const summary = planText(`compaction ${recorded.seq}`, recorded.summary);
			const from = messages.findIndex((message) => message.entry === recorded.firstKept);
			const kept = from < 0 ? messages.filter((message) => message.seq > recorded.seq) : messages.slice(from);
			return { messages: [summary, ...kept.flatMap(planMessage)], summarised: 0, reason: "the host compacted" };
		}
		const from = this.#cut ? messages.findIndex((message) => message.entry === this.#cut?.from) : 0;
		if (from < 0) this.#cut = undefined;
		let kept = from > 0 ? messages.slice(from) : messages;
		const size = kept.reduce((sum, message) => sum + message.tokens, this.#fixed + (this.#cut?.summary.tokens ?? 0));
		let summarised = 0;
		if (size > this.#limit) {
			const first = keepFrom(kept);
			summarised = kept.slice(0, first).reduce((sum, message) => sum + message.tokens, 0);
			const text = kept
				.slice(0, first)
				.map((message) => message.text)
				.join("\n");
			const summary = text.slice(0, bytesOfTokens(SUMMARY_TOKENS));
			kept = kept.slice(first);
			this.#cut = { from: kept[0]!.entry, summary: planText(`summary ${++this.#compactions}`, summary) };
		}
		const head = this.#cut ? [this.#cut.summary] : [];
		return { messages: [...head, ...kept.flatMap(planMessage)], summarised, reason: "the host compacted" };
	}
}

export function planMessage(message: RecordedMessage): PlannedMessage[] {
	return message.wire.map((wire, n) => ({
		key: `${message.seq}.${n}`,
		wire,
		tokens: n === 0 ? message.tokens : 0,
		cached: true,
		text: n === 0 ? message.text : "",
	}));
}

export function planText(key: string, text: string): PlannedMessage {
	const wire = { role: "user", content: [{ type: "text", text }] } as const;
	return { key, wire, tokens: estimateTokens(text), cached: true, text };
}

function messageOf(step: PathStep): RecordedMessage[] {
	return step.kind === "message" && step.message.wire.length > 0 ? [step.message] : [];
}

/** Index of the first message to keep: about 20,000 tokens from the end, never starting with a tool's result. */
function keepFrom(messages: readonly RecordedMessage[]): number {
	let tokens = 0;
	let first = messages.length - 1;
	while (first > 0 && tokens + messages[first]!.tokens <= KEPT_TOKENS) tokens += messages[first--]!.tokens;
	while (first < messages.length - 1 && messages[first]!.role === "toolResult") first++;
	return first;
}
