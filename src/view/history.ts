/** How far is a session summarised, and how is its DAG built? */
import type { History } from "../history/history.ts";
import type { HistoryPath, Node } from "../history/types.ts";
import { nodeRow } from "../history/unfold.ts";
import type { SessionRef } from "../session/tree.ts";
import { formatCount, plural } from "../text/bytes.ts";

export interface HistoryReport {
	readonly session: string;
	/** Of all branches. */
	readonly messages: number;
	readonly summaries: number;
	readonly depth: number;
	/** Uncovered nodes on the path, by depth: [D0, D1, …]. */
	readonly uncovered: readonly number[];
	/** On the path to where the session stands. */
	readonly path: { readonly messages: number; readonly covered: number; readonly verbatim: number };
	readonly tokens: { readonly covered: number; readonly summaries: number; readonly verbatim: number };
}

export function historyReport(history: History, session: SessionRef): HistoryReport {
	const stats = history.stats(session);
	const { nodes, runs } = history.path(session);
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

/** The DAG as lines, down to `levels` below the uncovered nodes. */
export function* dagLines(history: History, path: HistoryPath, levels: number): Generator<string> {
	const verbatim = path.runs.flat();
	const shown = new Set<string>();
	const last = verbatim.length > 0 ? tailLine(history.log.handleAt(verbatim[0]!.seq), verbatim.length) : undefined;
	for (const [at, node] of path.nodes.entries()) {
		yield* branch(history, node, "", { levels, isLast: last === undefined && at === path.nodes.length - 1, shown });
	}
	if (last !== undefined) yield `└─ ${last}`;
	const elsewhere = history.nodes(path.session).filter((node) => isRoot(history, node) && !isOn(path, node));
	if (elsewhere.length === 0) return;
	yield "";
	yield "On other branches of the session:";
	for (const [at, node] of elsewhere.entries()) {
		yield* branch(history, node, "", { levels, isLast: at === elsewhere.length - 1, shown });
	}
}

interface BranchOptions {
	readonly levels: number;
	readonly isLast: boolean;
	readonly shown: Set<string>;
}

function* branch(history: History, node: Node, indent: string, options: BranchOptions): Generator<string> {
	const { levels, isLast, shown } = options;
	const again = shown.has(node.id) && node.depth > 0;
	yield `${indent}${isLast ? "└─" : "├─"} ${nodeRow(history, node)}${again ? ", as above" : ""}`;
	shown.add(node.id);
	if (again || levels <= 0) return;
	const children = history.children(node);
	for (const [at, child] of children.entries()) {
		const inner = { levels: levels - 1, isLast: at === children.length - 1, shown };
		yield* branch(history, child, `${indent}${isLast ? "   " : "│  "}`, inner);
	}
}

function tailLine(first: string | undefined, count: number): string {
	return `${plural(count, "message")} verbatim, from ${first} on`;
}

function isRoot(history: History, node: Node): boolean {
	return history.parents(node).length === 0;
}

function isOn(path: HistoryPath, node: Node): boolean {
	return path.nodes.some(({ id }) => id === node.id);
}

export function coverageLine({ path, tokens, depth, summaries }: HistoryReport): string {
	if (summaries === 0) return `nothing summarised yet; ${plural(path.messages, "message")} verbatim`;
	const share = path.messages === 0 ? 0 : Math.round((path.covered / path.messages) * 100);
	return `${plural(summaries, "summary", "summaries")}, depth ${depth}; ${share} % of ${plural(path.messages, "message")} covered: ${formatCount(tokens.covered)} tokens told in ${formatCount(tokens.summaries)}`;
}
