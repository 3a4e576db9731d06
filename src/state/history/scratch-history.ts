/**
 * A history whose nodes live in memory, to walk a session as if its summaries had been written on the way. Of the log's
 * nodes only texts that models wrote for the same stretch count, from the moment they were written. Writes nothing to the
 * log.
 */
import type { Log } from "../../log/log.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { DETERMINISTIC } from "./deterministic/summarise.ts";
import { History, type SummaryEvent } from "./history.ts";
import type { Node } from "./types.ts";

export class ScratchHistory extends History {
	readonly #nodes = new Map<string, Node>();
	/** The deepest node that ends with a message. */
	readonly #ending = new Map<number, Node>();
	readonly #texts = new Map<string, string>();
	/** Id to the ids of the nodes that it was made from. */
	readonly #sources = new Map<string, readonly string[]>();
	#count = 0;
	/** The newest event that the walk may know of. */
	upTo = Number.POSITIVE_INFINITY;

	constructor(log: Log) {
		super(log);
	}

	override endingAt(last: number): Node | undefined {
		const node = this.#ending.get(last);
		return node && this.#asWritten(node);
	}

	/** The node with a model's text, if there was one by then. */
	#asWritten(node: Node): Node {
		const written = super.node(node.id);
		if (!written || written.model === DETERMINISTIC || written.textSeq > this.upTo) return node;
		const { topic, tokens, model, textSeq } = written;
		return { ...node, topic, tokens, model, textSeq };
	}

	override node(id: string): Node | undefined {
		return this.#nodes.get(id);
	}

	override children({ id }: Node): Node[] {
		const nodes = (this.#sources.get(id) ?? []).flatMap((source) => this.#nodes.get(source) ?? []);
		return nodes.map((node) => this.#asWritten(node));
	}

	override text(node: Node): string {
		return node.model === DETERMINISTIC ? (this.#texts.get(node.id) ?? "") : super.text(node);
	}

	override newestNode(): number {
		return this.#count;
	}

	override add(_session: SessionRef, summaries: readonly SummaryEvent[]): number {
		for (const summary of summaries) this.#add(summary);
		return this.#count;
	}

	#add({ payload, session, host }: SummaryEvent): void {
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
		if (depth > 0) this.#sources.set(id, sources);
		if ((this.#ending.get(last)?.depth ?? -1) < depth) this.#ending.set(last, node);
	}
}
