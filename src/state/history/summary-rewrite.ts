/**
 * Rewrites summaries with a model. A seal does not wait for a model: the deterministic summariser writes its nodes. Here a
 * model gives a better text to those that the next seal will show, the newest first. Their coverage and ids stay. Each
 * text is an event, so that a later plan or replay sees the same.
 */

import type { ModelGate } from "../../base/sidecar/gate.ts";
import { estimateTokens } from "../../base/tokens/estimate.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { DETERMINISTIC } from "./deterministic/summarise.ts";
import type { History } from "./history.ts";
import { sourceText } from "./source-text.ts";
import type { Summariser } from "./summariser.ts";
import { ofNode } from "./summary-material.ts";
import { type WrittenSummary, writeByModel } from "./summary-writer.ts";
import type { Node } from "./types.ts";

export interface SummaryRewriteOptions {
	readonly session: SessionRef;
	/** seq of the agent's current entry; by default the session's newest. */
	readonly leaf?: number | undefined;
	readonly models: readonly Summariser[];
	readonly gate: ModelGate;
	/** Nodes that no model could write, and that are not tried again. This run adds its own. */
	readonly given: Set<string>;
	readonly now?: (() => number) | undefined;
	readonly signal?: AbortSignal | undefined;
	readonly callMs?: number | undefined;
}

export interface Rewritten {
	/** Ids of the rewritten nodes. */
	readonly nodes: readonly string[];
	/** ms until a model may be called again, if the hourly limit was reached. Undefined: nothing is waiting. */
	readonly waitMs: number | undefined;
}

/** The deterministic summariser loses nothing of a smaller source. */
const MIN_SOURCE_TOKENS = 400;

export async function rewriteSummaries(history: History, options: SummaryRewriteOptions): Promise<Rewritten> {
	const { gate, given, now = Date.now } = options;
	const nodes: string[] = [];
	for (const node of waiting(history, options)) {
		options.signal?.throwIfAborted();
		const waitMs = gate.waitMs();
		if (waitMs > 0) return { nodes, waitMs };
		const material = ofNode(history, node);
		const start = now();
		const text = () => sourceText(material?.parts() ?? []);
		const isWorthIt = material !== undefined && material.source.tokens >= MIN_SOURCE_TOKENS;
		const written = isWorthIt ? await writeByModel(material.source, { ...options, text }) : undefined;
		options.signal?.throwIfAborted();
		if (!written && isWorthIt && gate.waitMs() > 0) return { nodes, waitMs: gate.waitMs() };
		if (!written || !material) {
			given.add(node.id);
			continue;
		}
		const sourceTokens = material.source.tokens;
		history.rewrite(summaryEvent(history, node, written, { sourceTokens, start, end: now() }));
		nodes.push(node.id);
	}
	return { nodes, waitMs: undefined };
}

/** Nodes that the next seal shows and no model has written, the newest first. */
function waiting(history: History, { session, leaf, given }: SummaryRewriteOptions): Node[] {
	const { nodes } = history.path(session, leaf);
	return nodes.filter(({ id, model }) => model === DETERMINISTIC && !given.has(id)).reverse();
}

function summaryEvent(
	history: History,
	node: Node,
	written: WrittenSummary,
	{ sourceTokens, start, end }: { readonly sourceTokens: number; readonly start: number; readonly end: number },
): Parameters<History["rewrite"]>[0] {
	const { first, last, messages: count, messageTokens: tokens } = node;
	const [from, to] = [history.tree.get(first)?.entry ?? "", history.tree.get(last)?.entry ?? ""];
	const sources =
		node.depth > 0
			? history.children(node).map(({ id }) => id)
			: history.messages(node).flatMap(({ seq }) => history.log.handleAt(seq) ?? []);
	return {
		type: "Summary",
		...node.session,
		ts: end,
		entry: `${node.id}/${first}-${last}/${written.model}`,
		cause: last,
		payload: {
			node: node.id,
			depth: node.depth,
			text: written.text,
			topic: written.topic,
			sources,
			messages: { first, last, count, tokens, from, to },
			tokens: estimateTokens(written.text),
			sourceTokens,
			model: written.model,
			durationMs: Math.max(0, Math.round(end - start)),
			tried: written.tried.length > 0 ? [...written.tried] : undefined,
			usage: written.usage,
		},
	};
}
