/**
 * What a node was made from: the texts of the nodes below it, or its messages, as far down as asked. Where that does not
 * fit, one row for each child, so that it can be fetched by itself.
 */

import { plainJson } from "../json/read.ts";
import { handleOf } from "../log/handle.ts";
import { type MessageView, messageText, viewMessage } from "../message/view.ts";
import type { TreeMessage } from "../session/tree.ts";
import { plural } from "../text/bytes.ts";
import { enclose, nameInLine } from "../text/enclose.ts";
import { sliceUnits } from "../text/truncate.ts";
import { estimateTokens } from "../tokens/estimate.ts";
import type { History } from "./history.ts";
import { messagePart } from "./source.ts";
import type { Node } from "./types.ts";

export interface Unfolded {
	readonly form: "whole" | "rows";
	readonly text: string;
	/** Nodes and messages that were opened, or listed. */
	readonly children: number;
}

const GIST_CHARS = 100;

export function unfold(
	history: History,
	node: Node,
	{ depth, maxTokens }: { readonly depth: number; readonly maxTokens: number },
): Unfolded {
	const parts: string[] = [];
	let left = maxTokens;
	for (const part of walk(history, node, Math.max(1, depth), () => left)) {
		left -= part === undefined ? Number.POSITIVE_INFINITY : estimateTokens(part) + 1;
		if (left < 0) break;
		parts.push(part!);
	}
	if (left >= 0) return { form: "whole", text: parts.join("\n\n"), children: parts.length };
	const rows = childRows(history, node);
	return { form: "rows", text: rows.join("\n"), children: rows.length };
}

/** One line for each child, oldest first. */
export function childRows(history: History, node: Node): string[] {
	if (node.depth > 0) return history.children(node).map((child) => nodeRow(nodeLine(history, child)));
	return history.messages(node).map((message) => messageRow(history, message));
}

/** What a line about a node says. `from` and `to`: handles of the first and the last message that it covers. */
export interface NodeLine extends Pick<Node, "id" | "depth" | "messages" | "topic"> {
	readonly from: string;
	readonly to: string;
}

export function nodeLine({ log }: History, { id, depth, messages, topic, first, last }: Node): NodeLine {
	return { id, depth, messages, topic, from: log.handleAt(first) ?? "", to: log.handleAt(last) ?? "" };
}

export function nodeRow({ id, depth, messages, topic, from, to }: NodeLine): string {
	const range = from === to ? from : `${from} to ${to}`;
	return `${id} (D${depth}, ${range}, ${plural(messages, "message")}): "${nameInLine(topic)}"`;
}

function messageRow(history: History, { seq, role, tokens }: TreeMessage): string {
	const record = history.log.get(seq);
	const view = record && viewMessage(record.payload);
	const who = view?.tool === undefined ? role : `${role}/${view.tool}`;
	return `${history.log.handleAt(seq)} (${who}, ${plural(tokens, "token")}): ${view ? messageGist(view) : "not in the log"}`;
}

function messageGist(view: MessageView): string {
	const parts = [messageText(view)];
	for (const block of view.blocks) {
		if (block.kind === "result") parts.push(block.text);
		else if (block.kind === "call") parts.push(`${block.tool} ${plainJson(block.input)}`);
		else if (block.kind === "image") parts.push("[image]");
	}
	if (view.command) parts.push(`$ ${view.command.command}`);
	const line = parts
		.map((part) => part.slice(0, GIST_CHARS * 4))
		.join(" ")
		.replace(/\s+/g, " ")
		.trim();
	return line.length <= GIST_CHARS ? line : `${sliceUnits(line, GIST_CHARS - 1)}…`;
}

/** Undefined: the next part is certainly too large to be worth reading. */
function* walk(history: History, node: Node, depth: number, left: () => number): Generator<string | undefined> {
	if (node.depth === 0) {
		// Estimates of messages leave out what only the raw entry holds: half of it is proof enough.
		if (node.messageTokens > left() * 2) return yield undefined;
		for (const { seq } of history.messages(node)) {
			const record = history.log.get(seq);
			if (record) yield messagePart(viewMessage(record.payload), handleOf(record));
		}
		return;
	}
	for (const child of history.children(node)) {
		if (depth > 1) yield* walk(history, child, depth - 1, left);
		else yield child.tokens > left() * 2 ? undefined : nodePart(history, child);
	}
}

function nodePart(history: History, node: Node): string {
	const text = history.text(node);
	const { until, end } = enclose(text, node.id);
	return `[${nodeRow(nodeLine(history, node))}${until && `, ${until}`}]\n${text}${end}`;
}
