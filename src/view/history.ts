/** How far is a session summarised, and how is its DAG built? */

import { EngineError } from "../base/error/engine-error.ts";
import { asObject, asText } from "../base/json/read.ts";
import { formatBytes, formatCount, plural } from "../base/text/bytes.ts";
import { cutToWidth } from "../base/text/cut.ts";
import { oneLine, printable } from "../base/text/printable.ts";
import { wrapWords } from "../base/text/wrap.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { parseHandle } from "../state/history/handle.ts";
import { findContent } from "../state/history/handle-content.ts";
import type { History, HistoryStats } from "../state/history/history.ts";
import type { Node } from "../state/history/types.ts";
import { childRows, type NodeLine, nodeLine } from "../state/history/unfold.ts";
import { PLAIN, renderRuled, type TextStyle } from "./text-style.ts";

export interface HistoryReport {
	readonly session: string;
	/** Of all branches. */
	readonly messages: number;
	readonly summaries: number;
	readonly depth: number;
	/** Uncovered nodes on the path, by depth: [D0, D1, …]. */
	readonly uncovered: readonly number[];
	/** On the path to the session's current entry. */
	readonly path: { readonly messages: number; readonly covered: number; readonly verbatim: number };
	readonly tokens: { readonly covered: number; readonly summaries: number; readonly verbatim: number };
}

/** `leaf`: seq of the session's current entry; by default its newest. */
export function historyReport(history: History, session: SessionRef, leaf?: number): HistoryReport {
	const stats = history.stats(session);
	const { nodes, runs } = history.path(session, leaf);
	const verbatim = runs.flat();
	const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0);
	const covered = sum(nodes.map(({ messages }) => messages));
	const uncovered: number[] = Array.from({ length: Math.max(0, ...nodes.map(({ depth }) => depth + 1)) }, () => 0);
	for (const { depth } of nodes) uncovered[depth]!++;
	return {
		session: session.session,
		messages: stats.messages,
		summaries: stats.nodes,
		depth: stats.depth,
		uncovered,
		path: { messages: covered + verbatim.length, covered, verbatim: verbatim.length },
		tokens: {
			covered: sum(nodes.map(({ messageTokens }) => messageTokens)),
			summaries: sum(nodes.map(({ tokens }) => tokens)),
			verbatim: sum(verbatim.map(({ tokens }) => tokens)),
		},
	};
}

/** The JSON of `weft tree`: the report, and the summaries down to some level. */
export interface TreeView extends HistoryReport {
	/** Uncovered summaries, oldest first, each with its children. */
	readonly nodes: readonly TreeNode[];
	/** Uncovered summaries of the session's other branches. */
	readonly elsewhere: readonly TreeNode[];
	/** Handle of the first message after the summaries; null: no message is verbatim. */
	readonly tail: string | null;
	/** Summaries of compactions that the agent made by itself and handed over, oldest first. */
	readonly byAgent: readonly AgentSummary[];
}

interface AgentSummary {
	readonly id: string;
	readonly ts: number;
	readonly text: string;
}

export interface TreeNode extends Omit<Node, "nodes" | "session" | "textSeq">, NodeLine {
	readonly children: readonly TreeNode[];
}

interface TreeOptions {
	/** How far down to go below the uncovered summaries. */
	readonly levels: number;
	/** seq of the session's current entry; undefined: its newest. */
	readonly leaf?: number | undefined;
}

export function viewTree(history: History, session: SessionRef, { levels, leaf }: TreeOptions): TreeView {
	const path = history.path(session, leaf);
	const first = path.runs[0]?.[0];
	const elsewhere = history
		.nodes(session)
		.filter((node) => history.parents(node).length === 0 && !path.nodes.some(({ id }) => id === node.id));
	return {
		...historyReport(history, session, leaf),
		nodes: path.nodes.map((node) => treeNode(history, node, levels)),
		elsewhere: elsewhere.map((node) => treeNode(history, node, levels)),
		tail: first ? (history.log.handleAt(first.seq) ?? null) : null,
		byAgent: agentSummaries(history.log, session),
	};
}

const MAX_AGENT_SUMMARIES = 50;

function agentSummaries(log: History["log"], { session, host }: SessionRef): AgentSummary[] {
	const entries = [...log.read({ session, host, types: ["Entry"] })].filter(
		({ payload }) => payload["kind"] === "auto_compaction",
	);
	return entries.slice(-MAX_AGENT_SUMMARIES).map((record) => {
		const { payload, ts, seq } = record;
		return { id: log.handleAt(seq) ?? "", ts, text: asText(asObject(payload["raw"])?.["summary"]) ?? "" };
	});
}

function treeNode(history: History, node: Node, levels: number): TreeNode {
	const { first, last, messageTokens, tokens, model, seq } = node;
	const children = levels > 0 ? history.children(node).map((child) => treeNode(history, child, levels - 1)) : [];
	return { ...nodeLine(history, node), first, last, messageTokens, tokens, model, seq, children };
}

export function* renderTree(view: TreeView, style: TextStyle = PLAIN): Generator<string> {
	yield oneLine(view.session);
	yield coverageLine(view);
	const shown = new Set<string>();
	for (const [at, node] of view.nodes.entries()) {
		yield* renderBranch(node, "", { isLast: view.tail === null && at === view.nodes.length - 1, shown, style });
	}
	if (view.tail !== null) yield `└─ ${plural(view.path.verbatim, "message")} verbatim, from ${view.tail} on`;
	if (view.elsewhere.length > 0) yield* ["", "On other branches of the session:"];
	for (const [at, node] of view.elsewhere.entries()) {
		yield* renderBranch(node, "", { isLast: at === view.elsewhere.length - 1, shown, style });
	}
	if (view.byAgent.length > 0) yield* ["", "Summaries that the agent made by itself:"];
	for (const [at, { id, text }] of view.byAgent.entries()) {
		const line = `${at === view.byAgent.length - 1 ? "└─" : "├─"} ${id}: ${oneLine(text)}`;
		yield style.columns === undefined ? line : cutToWidth(line, style.columns);
	}
}

interface BranchOptions {
	readonly isLast: boolean;
	/** Ids of summaries that are already shown. */
	readonly shown: Set<string>;
	readonly style: TextStyle;
}

function* renderBranch(node: TreeNode, indent: string, { isLast, shown, style }: BranchOptions): Generator<string> {
	const again = shown.has(node.id) && node.depth > 0;
	// A topic quotes a message: as one line it is harmless on a terminal.
	const about = again ? "as above" : oneLine(node.topic);
	const line = `${indent}${isLast ? "└─" : "├─"} ${node.id} D${node.depth}, ${plural(node.messages, "message")}: ${about}`;
	yield style.columns === undefined ? line : cutToWidth(line, style.columns);
	shown.add(node.id);
	if (again) return;
	for (const [at, child] of node.children.entries()) {
		const inner = { isLast: at === node.children.length - 1, shown, style };
		yield* renderBranch(child, `${indent}${isLast ? "   " : "│  "}`, inner);
	}
}

export function coverageLine({ path, tokens, depth, summaries }: HistoryReport): string {
	if (summaries === 0)
		return `nothing summarised by weft yet; ${plural(path.messages, "message")} of the current branch verbatim`;
	const share = path.messages === 0 ? 0 : Math.round((path.covered / path.messages) * 100);
	return `${plural(summaries, "summary", "summaries")}, depth ${depth}; ${share} % of ${plural(path.messages, "message")} of the current branch covered: ${formatCount(tokens.covered)} tokens summarised in ${formatCount(tokens.summaries)}`;
}

/** `LCM: 847 msgs | 23 summaries (depth 3) | 2.1 MB`, as pi-lcm counts a session. */
export function renderHistoryLine(
	{ messages, nodes, depth }: Pick<HistoryStats, "messages" | "nodes" | "depth">,
	bytes: number,
): string {
	return `LCM: ${formatCount(messages)} msgs | ${plural(nodes, "summary", "summaries")} (depth ${depth}) | ${formatBytes(bytes)}`;
}

export function* renderHistoryStats(stats: HistoryStats, bytes: number): Generator<string> {
	yield renderHistoryLine(stats, bytes);
	for (const [at, count] of stats.byDepth.entries()) yield `  depth ${at}: ${plural(count, "summary", "summaries")}`;
}

const MAX_CHILDREN = 40;

/**
 * Describes a part of a session's history for people: its summaries, the text of one, its parents and children. `part`:
 * overview, recent, earliest, or the id of a summary or a message.
 */
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
