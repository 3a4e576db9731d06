/** Describes a part of a session's history for people: its summaries, the text of one, its parents and children. */
import { EngineError } from "../base/error/engine-error.ts";
import { formatCount, plural } from "../base/text/bytes.ts";
import { cutToWidth } from "../base/text/cut.ts";
import { oneLine, printable } from "../base/text/printable.ts";
import { wrapWords } from "../base/text/wrap.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { parseHandle } from "../state/history/handle.ts";
import { findContent } from "../state/history/handle-content.ts";
import type { History } from "../state/history/history.ts";
import type { Node } from "../state/history/types.ts";
import { childRows } from "../state/history/unfold.ts";
import { coverageLine, historyReport } from "./history.ts";
import { renderRuled, type TextStyle } from "./text-style.ts";

const MAX_CHILDREN = 40;

/** `part`: overview, recent, earliest, or the id of a summary or a message. */
export function* describeHistory(
	history: History,
	session: SessionRef,
	what: string,
	style: TextStyle,
): Generator<string> {
	history.catchUp();
	const { nodes } = history.path(session);
	const [first] = nodes;
	const last = nodes.at(-1);
	if (what === "overview") return yield* renderOverview(history, session, nodes, style);
	if (what !== "recent" && what !== "earliest") return yield* renderById(history, what, style);
	const node = what === "recent" ? last : first && oldestLeaf(history, first);
	if (node) return yield* renderNode(history, node, style);
	yield coverageLine(historyReport(history, session));
}

function* renderOverview(
	history: History,
	session: SessionRef,
	nodes: readonly Node[],
	style: TextStyle,
): Generator<string> {
	yield coverageLine(historyReport(history, session));
	if (nodes.length === 0) return;
	yield "";
	yield* renderSummaries(nodes, style);
	yield "";
	yield style.paint("dim", "'weft describe ID' reads a summary, 'weft expand ID' opens it.");
}

function* renderById(history: History, id: string, style: TextStyle): Generator<string> {
	const handle = parseHandle(id);
	if (!handle) throw new EngineError("not-found", `'${id.slice(0, 80)}' is not an id. ${IDS}`);
	if (handle.kind === "node") {
		const node = history.node(handle.id);
		if (!node) throw new EngineError("not-found", `There is no summary '${id.slice(0, 80)}'. 'weft tree' lists them.`);
		return yield* renderNode(history, node, style);
	}
	const found = findContent(history.log, handle);
	if (!found.ok) throw new EngineError("not-found", `${found.reason} 'weft grep' finds messages by their text.`);
	const { content } = found;
	const seq = handle.kind === "message" ? history.log.findHandle(handle.id) : undefined;
	const node = seq === undefined ? undefined : history.covering(seq);
	yield `${content.handle} (${content.what}), ${formatCount(content.bytes.length)} bytes. ${node ? "Covered by:" : "No summary covers it."}`;
	if (node) yield* renderSummaries([node], style);
	yield style.paint("dim", `'weft expand ${content.handle}' reads it.`);
}

const IDS =
	"Ids begin with s- (summary), m- (message), b- (blob) or e- (event); 'weft tree' and 'weft grep' show them.";

function* renderNode(history: History, node: Node, style: TextStyle): Generator<string> {
	yield `${node.id}, depth ${node.depth}: ${plural(node.tokens, "token")} for ${formatCount(node.messageTokens)}, written by ${node.model}`;
	yield "";
	for (const line of printable(history.text(node)).split("\n")) yield* wrapWords(line, style.columns);
	const above = history.ancestors(node);
	if (above.length > 0) {
		yield "";
		yield "Part of";
		yield* renderSummaries(above, style);
	}
	yield "";
	yield "Made from";
	if (node.depth > 0) yield* renderSummaries(history.children(node), style);
	else {
		const rows = childRows(history, node);
		for (const row of rows.slice(0, MAX_CHILDREN)) {
			const line = `  ${oneLine(row)}`;
			yield style.columns === undefined ? line : cutToWidth(line, style.columns);
		}
		if (rows.length > MAX_CHILDREN) yield `  … ${formatCount(rows.length - MAX_CHILDREN)} more`;
	}
	yield "";
	yield style.paint("dim", `'weft expand ${node.id}' opens it.`);
}

function renderSummaries(nodes: readonly Node[], style: TextStyle): string[] {
	const columns = [
		{ title: "summary" },
		{ title: "depth", align: "right" },
		{ title: "messages", align: "right" },
		{ title: "about", shrink: true },
	] as const;
	const rows = nodes.map(({ id, depth, messages, topic }) => [
		id,
		String(depth),
		formatCount(messages),
		oneLine(topic),
	]);
	return renderRuled(style, columns, rows);
}

function oldestLeaf(history: History, node: Node): Node {
	let at = node;
	for (let child = history.children(at)[0]; child; child = history.children(at)[0]) at = child;
	return at;
}
