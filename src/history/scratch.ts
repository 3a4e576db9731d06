/**
 * A history whose nodes live in memory: for walking a session as if its summaries had been written on the way. What the
 * log has of nodes does not count, and nothing is written to it.
 */
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../session/tree.ts";
import { History, type SummaryEvent } from "./history.ts";
import type { Node } from "./types.ts";

export class ScratchHistory extends History {
	readonly #nodes = new Map<string, Node>();
	/** The deepest node that ends with a message. */
	readonly #ending = new Map<number, Node>();
	readonly #texts = new Map<string, string>();
	#count = 0;

	constructor(log: Log) {
		super(log);
	}

	override endingAt(last: number): Node | undefined {
		return this.#ending.get(last);
	}

	override node(id: string): Node | undefined {
		return this.#nodes.get(id);
	}

	override text(node: Node): string {
		return this.#texts.get(node.id) ?? "";
	}

	override newestNode(): number {
		return this.#count;
	}

	override add({ payload, session, host }: SummaryEvent): number {
		const { node: id, depth, messages, tokens, topic, model, sources } = payload;
		const below = sources.reduce((sum, source) => sum + (this.#nodes.get(source)?.nodes ?? 0), 0);
		const seq = ++this.#count;
		const { first, last, count, tokens: messageTokens } = messages;
		const ref: SessionRef = { session, host };
		const nodes = depth > 0 ? below + 1 : 1;
		const node = {
			id,
			seq,
			textSeq: seq,
			depth,
			first,
			last,
			messages: count,
			messageTokens,
			tokens,
			nodes,
			topic,
			model,
			session: ref,
		};
		this.#nodes.set(id, node);
		this.#texts.set(id, payload.text);
		if ((this.#ending.get(last)?.depth ?? -1) < depth) this.#ending.set(last, node);
		return seq;
	}
}
