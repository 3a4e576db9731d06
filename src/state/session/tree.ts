/** Walks a session's tree from any entry towards the root. Reads the tables of `tree-fold.ts`. */
import { BoundedMap } from "../../base/collection/bounded.ts";
import type { Log } from "../../log/log.ts";
import type { SessionRef } from "../../log/session-ref.ts";

/** An entry of a session's tree. */
export interface TreeEntry {
	readonly seq: number;
	readonly entry: string;
	/** seq of the entry before it; null: a root. */
	readonly parent: number | null;
	/** null: not a message. */
	readonly role: string | null;
	/** The agent's name for an entry that is not a message: compaction, model_change, … */
	readonly kind?: string | null | undefined;
	/** The user's own words. */
	readonly asks: boolean;
	readonly tokens: number;
	/** Ids of calls that the entry makes, and of calls that it answers. */
	readonly calls: readonly string[];
	readonly results: readonly string[];
}

/** An entry that is a message. */
export type TreeMessage = TreeEntry & { readonly role: string };

interface TreeRow {
	readonly seq: number;
	readonly entry: string;
	readonly parent: number | null;
	readonly role: string | null;
	readonly kind: string | null;
	readonly asks: number;
	readonly tokens: number;
	readonly calls: string | null;
	readonly results: string | null;
}

const COLUMNS = "seq, entry, parent, role, kind, asks, tokens, calls, results";
const NONE: readonly string[] = [];

const SQL = {
	tip: "SELECT tip FROM tree_session WHERE session = ? AND host = ?",
	bySeq: `SELECT ${COLUMNS} FROM tree_entry WHERE seq = ?`,
	byEntry: `SELECT e.seq FROM tree_session s JOIN tree_entry e ON e.branch = s.id
		WHERE s.session = ? AND s.host = ? AND e.entry = ?`,
	sessionOf: `SELECT s.session, s.host FROM tree_entry e JOIN tree_session s ON s.id = e.branch
		WHERE e.seq = ?`,
	compactions: `SELECT e.seq, s.session, s.host FROM tree_entry e JOIN tree_session s ON s.id = e.branch
		WHERE e.seq > ? AND (e.kind = 'compaction' OR e.role = 'compactionSummary') ORDER BY e.seq`,
	entries: `SELECT ${COLUMNS} FROM tree_entry
		WHERE branch = (SELECT id FROM tree_session WHERE session = ? AND host = ?) AND seq > ? ORDER BY seq`,
	count: `SELECT count(*) AS n FROM tree_session s JOIN tree_entry e ON e.branch = s.id
		WHERE s.session = ? AND s.host = ? AND e.role IS NOT NULL AND e.seq <= ?`,
} as const;

/** A path seldom has more entries. Dropped ones are read again. */
const MAX_HELD = 20_000;

export class Tree {
	readonly #log: Log;
	/** Recently used entries. Entries never change. */
	readonly #held = new BoundedMap<number, TreeEntry>(MAX_HELD);

	constructor(log: Log) {
		this.#log = log;
	}

	/** Folds missing events. A read-only log stays as it was last folded. */
	catchUp(): void {
		this.#log.foldMissing();
	}

	/** The newest entry of a session: the agent's position, unless the agent says otherwise. */
	tip({ session, host }: SessionRef): number | undefined {
		return this.#one<{ tip: number }>(SQL.tip, session, host)?.tip;
	}

	get(seq: number): TreeEntry | undefined {
		const held = this.#held.get(seq);
		if (held) return held;
		const row = this.#one<TreeRow>(SQL.bySeq, seq);
		if (!row) return undefined;
		const entry = toEntry(row);
		// A transaction may still be rolled back, and another entry get this seq.
		if (this.#log.tables.mayChange()) return entry;
		this.#held.set(seq, entry);
		return entry;
	}

	/** The seq of an entry, by the agent's id. */
	find({ session, host }: SessionRef, entry: string): number | undefined {
		return this.#one<{ seq: number }>(SQL.byEntry, session, host, entry)?.seq;
	}

	/** The session that an entry belongs to. */
	sessionOf(seq: number): SessionRef | undefined {
		const row = this.#one<SessionRef>(SQL.sessionOf, seq);
		return row && { session: row.session, host: row.host };
	}

	countMessages({ session, host }: SessionRef, upTo = Number.MAX_SAFE_INTEGER): number {
		return this.#one<{ n: number }>(SQL.count, session, host, upTo)?.n ?? 0;
	}

	/** Places after `after` where agents replaced their history by a summary, of all sessions and branches, oldest first. */
	compactions(after = 0): (SessionRef & { readonly seq: number })[] {
		return this.#log.tables.all("tree_entry", SQL.compactions, after);
	}

	/** All entries of a session after `after`, of every branch, in the order of the log. */
	entries({ session, host }: SessionRef, after = 0): TreeEntry[] {
		return this.#log.tables.all<TreeRow>("tree_entry", SQL.entries, session, host, after).map(toEntry);
	}

	/** From an entry towards the root, the entry itself first. */
	*upward(from: number | null): Generator<TreeEntry> {
		for (let at = from; at !== null; ) {
			const entry: TreeEntry | undefined = this.get(at);
			if (!entry) return;
			yield entry;
			// A parent always has a lower seq, so a damaged row cannot cause a loop.
			at = entry.parent !== null && entry.parent < entry.seq ? entry.parent : null;
		}
	}

	/** The messages from `first` to `last`, inclusive, oldest first. Empty if `first` is not an ancestor of `last`. */
	stretch(first: number, last: number): TreeMessage[] {
		const messages: TreeMessage[] = [];
		for (const entry of this.upward(last)) {
			if (isMessage(entry)) messages.push(entry);
			if (entry.seq === first) return messages.reverse();
			if (entry.seq < first) return [];
		}
		return [];
	}

	#one<Found>(sql: string, ...values: (string | number)[]): Found | undefined {
		return this.#log.tables.one<Found>("tree_entry", sql, ...values);
	}
}

export function isMessage(entry: TreeEntry): entry is TreeMessage {
	return entry.role !== null;
}

function toEntry(row: TreeRow): TreeEntry {
	return {
		seq: row.seq,
		entry: row.entry,
		parent: row.parent,
		role: row.role,
		kind: row.kind,
		asks: row.asks === 1,
		tokens: row.tokens,
		calls: row.calls === null ? NONE : (JSON.parse(row.calls) as string[]),
		results: row.results === null ? NONE : (JSON.parse(row.results) as string[]),
	};
}
