/**
 * The history of a session: a DAG of summaries over its messages, read from the tables of two folds. A node is on a path if
 * its last message is: then all its messages are, because every message has one parent. After a jump in the session's
 * tree the nodes of the other branch are off the path, and return with it.
 */

import { asText } from "../../base/json/read.ts";
import type { NewEvent } from "../../log/event/types.ts";
import type { Log } from "../../log/log.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { isMessage, Tree, type TreeMessage } from "../session/tree.ts";
import type { HistoryPath, Node } from "./types.ts";

export interface HistoryStats {
	readonly messages: number;
	readonly nodes: number;
	/** Depth of the deepest node, counted from 1. 0: there is none. */
	readonly depth: number;
	readonly byDepth: readonly number[];
}

export type SummaryEvent = Extract<NewEvent, { readonly type: "Summary" }>;

export class History {
	readonly log: Log;
	readonly tree: Tree;

	constructor(log: Log) {
		this.log = log;
		this.tree = new Tree(log);
	}

	/** Folds missing events. The other methods answer from what was folded last. */
	catchUp(): void {
		this.tree.catchUp();
	}

	/** Nodes and messages that the context of a session must hold, seen from `leaf` or the session's newest entry. */
	path(session: SessionRef, leaf?: number): HistoryPath {
		this.catchUp();
		const from = leaf ?? this.tree.tip(session);
		const nodes: Node[] = [];
		const runs: TreeMessage[][] = [];
		let run: TreeMessage[] = [];
		for (let at: number | null = from ?? null; at !== null; ) {
			const entry = this.tree.get(at);
			if (!entry) break;
			const node = isMessage(entry) ? this.endingAt(at) : undefined;
			if (node) {
				nodes.push(node);
				runs.push(run);
				run = [];
			} else if (isMessage(entry)) run.push(entry);
			const parent: number | null = node ? (this.tree.get(node.first)?.parent ?? null) : entry.parent;
			at = parent !== null && parent < at ? parent : null;
		}
		const filled = [...runs, run].filter(({ length }) => length > 0);
		return { session, leaf: from, nodes: nodes.reverse(), runs: filled.map((each) => each.reverse()).reverse() };
	}

	/** The deepest node whose stretch ends with this message. */
	endingAt(last: number): Node | undefined {
		for (const row of this.#all("endingAt", last)) {
			const node = this.#checked(row);
			if (node) return node;
		}
		return undefined;
	}

	/** True: no message lies between the two on the way to the root. */
	isAdjacent(node: Node, next: Node): boolean {
		for (const entry of this.tree.upward(this.tree.get(next.first)?.parent ?? null)) {
			if (isMessage(entry)) return entry.seq === node.last;
		}
		return false;
	}

	/** The leaf that covers a message, on any branch. */
	covering(message: number): Node | undefined {
		const session = this.tree.sessionOf(message);
		if (!session) return undefined;
		for (const row of this.#all("around", session.session, session.host, message, message)) {
			const node = this.#checked(row);
			if (node && this.tree.stretch(node.first, node.last).some(({ seq }) => seq === message)) return node;
		}
		return undefined;
	}

	/** The node that a Summary event made or rewrote. */
	nodeAt(seq: number): Node | undefined {
		const [row] = this.#all("bySeq", seq, seq);
		return row && this.#checked(row);
	}

	/** By id, or by the start of an id if it is unique. */
	node(id: string): Node | undefined {
		const rows = this.#all("byId", id, `${id.slice(0, 40)}\u{10ffff}`);
		const exact = rows.filter((row) => row.id === id);
		const found = exact.length > 0 ? exact : rows;
		if (new Set(found.map((row) => row.id)).size !== 1) return undefined;
		for (const row of found) {
			const node = this.#checked(row);
			if (node) return node;
		}
		return undefined;
	}

	text(node: Node): string {
		return asText(this.log.get(node.textSeq)?.payload["text"]) ?? "";
	}

	/** The nodes that it was made from, oldest first. A leaf has none. */
	children(node: Node): Node[] {
		const ids = this.#all<{ source: string }>("sources", node.seq);
		// A child is one level down, so a damaged source cannot cause a loop.
		return ids.flatMap(({ source }) => this.node(source) ?? []).filter(({ depth }) => depth === node.depth - 1);
	}

	/** The nodes that it became part of: several, if the session branched. */
	parents(node: Node): Node[] {
		return this.#all("parents", node.id)
			.flatMap((row) => this.#checked(row) ?? [])
			.filter(({ depth }) => depth === node.depth + 1);
	}

	/** All nodes above it, nearest first. */
	ancestors(node: Node): Node[] {
		const found = new Map<string, Node>();
		let level = [node];
		while (level.length > 0) {
			level = level.flatMap((each) => this.parents(each)).filter(({ id }) => id !== node.id && !found.has(id));
			for (const each of level) found.set(each.id, each);
		}
		return [...found.values()];
	}

	/** The messages that it covers, oldest first. */
	messages(node: Node): TreeMessage[] {
		return this.tree.stretch(node.first, node.last);
	}

	/** All nodes of a session on all branches, in the order of writing. */
	nodes(session: SessionRef): Node[] {
		return this.#all("ofSession", session.session, session.host).flatMap((row) => this.#checked(row) ?? []);
	}

	/**
	 * Writes nodes of one session, all or none, under the write lock, and returns the seq of the last. Undefined: another
	 * process wrote one after `newest`, so the plan behind these is out of date.
	 */
	add(session: SessionRef, summaries: readonly SummaryEvent[], newest: number): number | undefined {
		return this.log.transaction(() => {
			this.catchUp();
			if (this.newestNode(session) !== newest) return undefined;
			const { seqs } = this.log.append(summaries);
			this.catchUp();
			return seqs.at(-1);
		});
	}

	/** Writes another text for a node. Does not disturb writers of new nodes. */
	rewrite(summary: SummaryEvent): void {
		this.log.append([summary]);
		this.catchUp();
	}

	/** seq of the session's newest node. 0: none. */
	newestNode(session: SessionRef): number {
		const [row] = this.#all<{ seq: number | null }>("newest", session.session, session.host);
		return row?.seq ?? 0;
	}

	/** `upTo`: counts as of this event. */
	stats(session: SessionRef, upTo = Number.MAX_SAFE_INTEGER): HistoryStats {
		this.catchUp();
		const rows = this.#all<{ depth: number; n: number }>("counts", session.session, session.host, upTo);
		const byDepth: number[] = [];
		for (const { depth, n } of rows) byDepth[depth] = n;
		return {
			messages: this.tree.countMessages(session, upTo),
			nodes: rows.reduce((sum, { n }) => sum + n, 0),
			depth: byDepth.length,
			byDepth: Array.from(byDepth, (n) => n ?? 0),
		};
	}

	/** A node counts only if its seqs are the messages that it names: in another log they may be others. */
	#checked(row: SummaryNodeRow): Node | undefined {
		const first = this.tree.get(row.first);
		const last = row.first === row.last ? first : this.tree.get(row.last);
		if (first?.entry !== row.from_entry || last?.entry !== row.to_entry) return undefined;
		return {
			id: row.id,
			seq: row.seq,
			textSeq: row.text_seq,
			depth: row.depth,
			first: row.first,
			last: row.last,
			messages: row.messages,
			messageTokens: row.message_tokens,
			tokens: row.tokens,
			nodes: row.nodes,
			topic: row.topic,
			model: row.model,
			session: { session: row.session, host: row.host },
		};
	}

	#all<Found = SummaryNodeRow>(name: keyof typeof QUERIES, ...values: (string | number)[]): Found[] {
		return this.log.tables.all<Found>("summary_source", QUERIES[name], ...values);
	}
}

interface SummaryNodeRow {
	readonly seq: number;
	readonly text_seq: number;
	readonly id: string;
	readonly session: string;
	readonly host: string;
	readonly depth: number;
	readonly first: number;
	readonly last: number;
	readonly from_entry: string;
	readonly to_entry: string;
	readonly messages: number;
	readonly message_tokens: number;
	readonly tokens: number;
	readonly nodes: number;
	readonly topic: string;
	readonly model: string;
}

const QUERIES = {
	endingAt: "SELECT * FROM summary_node WHERE last = ? ORDER BY depth DESC, seq",
	around: `SELECT * FROM summary_node WHERE session = ? AND host = ? AND depth = 0 AND last >= ? AND first <= ?
		ORDER BY last LIMIT 20`,
	bySeq: "SELECT * FROM summary_node WHERE seq = ? OR text_seq = ?",
	byId: "SELECT * FROM summary_node WHERE id >= ? AND id < ? ORDER BY id, seq LIMIT 8",
	sources: "SELECT source FROM summary_source WHERE node = ? ORDER BY place",
	parents: `SELECT n.* FROM summary_source s JOIN summary_node n ON n.seq = s.node WHERE s.source = ? ORDER BY n.seq`,
	ofSession: "SELECT * FROM summary_node WHERE session = ? AND host = ? ORDER BY seq",
	newest: "SELECT max(seq) AS seq FROM summary_node WHERE session = ? AND host = ?",
	counts:
		"SELECT depth, count(*) AS n FROM summary_node WHERE session = ? AND host = ? AND seq <= ? GROUP BY depth ORDER BY depth",
} as const;
