/** How far is a session summarised, and how is its DAG built? */

import { formatBytes, formatCount, plural } from "../base/text/bytes.ts";
import { cutToWidth } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import type { SessionRef } from "../log/session-ref.ts";
import type { History, HistoryStats } from "../state/history/history.ts";
import type { Node } from "../state/history/types.ts";
import { type NodeLine, nodeLine } from "../state/history/unfold.ts";
import { PLAIN, type TextStyle } from "./text-style.ts";

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
}

export interface TreeNode extends Omit<Node, "nodes" | "session" | "textSeq">, NodeLine {
	readonly children: readonly TreeNode[];
}

export interface TreeOptions {
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
	};
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
	if (view.elsewhere.length === 0) return;
	yield "";
	yield "On other branches of the session:";
	for (const [at, node] of view.elsewhere.entries()) {
		yield* renderBranch(node, "", { isLast: at === view.elsewhere.length - 1, shown, style });
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
		return `nothing summarised yet; ${plural(path.messages, "message")} of the current branch verbatim`;
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
