/**
 * Unfolds a node into the texts of the nodes below it, or its messages, to the depth asked for. The whole is one text that
 * does not depend on the page size, so that pages join without a gap. Reads only what a page needs.
 */

import { plainJson } from "../../base/json/read.ts";
import { plural } from "../../base/text/bytes.ts";
import { cutStart } from "../../base/text/cut.ts";
import { handleOf } from "../../log/handle.ts";
import { enclose, nameInLine } from "../../message/enclosure.ts";
import { type MessageView, messageText, viewMessage } from "../../message/view.ts";
import type { TreeMessage } from "../session/tree.ts";
import { pageOf } from "./content-page.ts";
import type { History } from "./history.ts";
import { messagePart } from "./source-text.ts";
import type { Node } from "./types.ts";

export interface Unfolded {
	readonly text: string;
	/** Where the page begins in the whole text, and its size. */
	readonly offset: number;
	readonly bytes: number;
	/** Offset of the next page. Undefined: this is the last. */
	readonly next?: number | undefined;
	/** The whole has `count` items. The page holds `from` to `to`, counted from 1. */
	readonly items: {
		readonly kind: "message" | "summary";
		readonly count: number;
		readonly from: number;
		readonly to: number;
	};
	/** Handle of the item that the end of the page cuts. */
	readonly cut?: string | undefined;
	/** Handle of the first item that the page does not touch. */
	readonly following?: string | undefined;
}

const GIST_CHARS = 100;
const GAP = "\n\n";

export function unfold(
	history: History,
	node: Node,
	{ depth, offset, maxBytes }: { readonly depth: number; readonly offset: number; readonly maxBytes: number },
): Unfolded {
	const items = [...itemsOf(history, node, Math.max(1, depth))];
	const pieces: string[] = [];
	let at = 0;
	let start: number | undefined;
	let bytes = 0;
	let first = 0;
	let cut: string | undefined;
	let index = 0;
	for (const item of items) {
		const content = Buffer.from(`${index === 0 ? "" : GAP}${item.read()}`, "utf8");
		const skipped = Math.max(0, offset - at);
		at += content.length;
		index++;
		if (skipped >= content.length) continue;
		const page = pageOf(content, skipped, maxBytes - bytes);
		// Leave an item that would only begin at the end of this page to the next one.
		if (page.next !== undefined && bytes > maxBytes / 2) {
			index--;
			break;
		}
		start ??= at - content.length + page.offset;
		if (pieces.length === 0) first = index;
		pieces.push(page.text);
		bytes += page.bytes;
		if (page.next === undefined) continue;
		cut = item.handle();
		break;
	}
	const from = start ?? at;
	const isEnd = index === items.length && cut === undefined;
	return {
		text: pieces.join(""),
		offset: from,
		bytes,
		next: isEnd ? undefined : from + bytes,
		items: { kind: node.depth < depth ? "message" : "summary", count: items.length, from: first, to: index },
		cut,
		following: items[index]?.handle(),
	};
}

/** One line for each child, oldest first. */
export function childRows(history: History, node: Node): string[] {
	if (node.depth > 0) return history.children(node).map((child) => nodeRow(nodeLine(history, child)));
	return history.messages(node).map((message) => messageRow(history, message));
}

/** Fields of a line about a node. `from` and `to` are the handles of its first and last message. */
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
	return line.length <= GIST_CHARS ? line : `${cutStart(line, GIST_CHARS - 1)}…`;
}

interface UnfoldedItem {
	handle(): string;
	read(): string;
}

function* itemsOf(history: History, node: Node, depth: number): Generator<UnfoldedItem> {
	const { log } = history;
	if (node.depth === 0) {
		for (const { seq } of history.messages(node)) {
			const handle = () => log.handleAt(seq) ?? "";
			yield { handle, read: () => readMessage(history, seq) };
		}
		return;
	}
	for (const child of history.children(node)) {
		if (depth > 1) yield* itemsOf(history, child, depth - 1);
		else yield { handle: () => child.id, read: () => nodePart(history, child) };
	}
}

function readMessage({ log }: History, seq: number): string {
	const record = log.get(seq);
	return record
		? messagePart(viewMessage(record.payload), handleOf(record))
		: `[${log.handleAt(seq)} is not in the log]`;
}

function nodePart(history: History, node: Node): string {
	const text = history.text(node);
	const { until, end } = enclose(text, node.id);
	return `[${nodeRow(nodeLine(history, node))}${until && `, ${until}`}]\n${text}${end}`;
}
