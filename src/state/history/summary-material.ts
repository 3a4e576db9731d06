/** The material of a node: messages for a leaf, texts of nodes for the others. */
import type { SessionRef } from "../../log/session-ref.ts";
import type { History } from "./history.ts";
import { messageParts } from "./source-text.ts";
import { type StretchReader, stretchRecords } from "./stretch-records.ts";
import type { SummarySource } from "./summariser.ts";
import type { Node } from "./types.ts";

export interface Material {
	readonly source: SummarySource;
	/** The text for a model, not masked yet. */
	readonly parts: () => Iterable<string>;
}

/** `events`: where to read them; by default the log. */
export function ofMessages(
	history: History,
	session: SessionRef,
	seqs: readonly number[],
	tokens: number,
	events: StretchReader = history.log,
): Material {
	const records = () => stretchRecords(events, session, seqs);
	return { source: { depth: 0, tokens, records }, parts: () => messageParts(records()) };
}

export function ofNodes(
	history: History,
	session: SessionRef,
	sources: readonly Node[],
	events: StretchReader = history.log,
): Material {
	const seqs = () => sources.flatMap((node) => history.messages(node)).map(({ seq }) => seq);
	const records = () => stretchRecords(events, session, seqs());
	const tokens = sources.reduce((sum, node) => sum + node.tokens, 0);
	return {
		source: { depth: (sources[0]?.depth ?? 0) + 1, tokens, records },
		parts: () => sources.map((node) => `[${node.id}]\n${history.text(node)}`),
	};
}

/** The material of an existing node. Undefined: it is not in the log. */
export function ofNode(history: History, node: Node): Material | undefined {
	if (node.depth > 0) {
		const children = history.children(node);
		return children.length === 0 ? undefined : ofNodes(history, node.session, children);
	}
	const seqs = history.messages(node).map(({ seq }) => seq);
	return seqs.length === 0 ? undefined : ofMessages(history, node.session, seqs, node.messageTokens);
}
