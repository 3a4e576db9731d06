/**
 * The tree of each session: which entry follows which, and how much each message weighs. One row per entry, folded on
 * demand, so that a path can be walked from its leaf without reading the log.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { asName, asObject } from "../../base/json/read.ts";
import { one } from "../../base/sqlite/rows.ts";
import type { EventRecord } from "../../log/event/types.ts";
import type { TableFold } from "../../log/fold/table-folds.ts";
import { cutMessage } from "../../message/turns.ts";
import { viewMessage } from "../../message/view.ts";

/** How far a tool result may be from its call. */
const MAX_STEPS_BACK = 1_000;

export const treeFold: TableFold = {
	name: "tree",
	version: 4,
	inline: false,
	tables: { tree_session: "id", tree_entry: "seq" },
	create(db) {
		db.exec(`
			CREATE TABLE tree_session (
				id      INTEGER PRIMARY KEY,
				session TEXT NOT NULL,
				host    TEXT NOT NULL,
				tip     INTEGER NOT NULL,   -- seq of its newest entry
				UNIQUE (session, host)
			) STRICT;
			CREATE TABLE tree_entry (
				seq     INTEGER PRIMARY KEY,
				branch  INTEGER NOT NULL,
				entry   TEXT NOT NULL,
				parent  INTEGER,            -- seq; null: a root
				role    TEXT,               -- null: not a message, but some other entry
				kind    TEXT,               -- the host's name for an entry that is not a message
				asks    INTEGER NOT NULL,   -- 1: the user's own words
				tokens  INTEGER NOT NULL,
				calls   TEXT,               -- ids of the calls that it makes, as JSON
				results TEXT                -- ids of the calls that it answers, as JSON
			) STRICT;
			CREATE INDEX tree_entry_entry ON tree_entry (branch, entry);
		`);
	},
	prepare(db) {
		const writer = new TreeWriter(db);
		return (records) => {
			writer.begin();
			for (const record of records) {
				if (record.type === "Message" || record.type === "Entry") writer.add(record);
			}
			writer.end();
		};
	},
};

interface TreeSessionRow {
	readonly id: number;
	tip: number;
}

interface ParentRow {
	readonly seq: number;
	readonly parent: number | null;
	readonly asks: number;
	readonly calls: string | null;
	readonly results: string | null;
}

interface Tip extends TreeSessionRow {
	readonly session: string;
	readonly host: string;
}

class TreeWriter {
	readonly #session: StatementSync;
	readonly #addSession: StatementSync;
	readonly #move: StatementSync;
	readonly #byEntry: StatementSync;
	readonly #bySeq: StatementSync;
	readonly #insert: StatementSync;
	/** The session of the previous record. Its tip is written when another session comes, or at the end. */
	#at: Tip | undefined;

	constructor(db: DatabaseSync) {
		this.#session = db.prepare("SELECT id, tip FROM tree_session WHERE session = ? AND host = ?");
		this.#addSession = db.prepare("INSERT INTO tree_session (session, host, tip) VALUES (?, ?, 0) RETURNING id, tip");
		this.#move = db.prepare("UPDATE tree_session SET tip = ? WHERE id = ?");
		this.#byEntry = db.prepare("SELECT seq, role FROM tree_entry WHERE branch = ? AND entry = ?");
		this.#bySeq = db.prepare("SELECT seq, parent, asks, calls, results FROM tree_entry WHERE seq = ?");
		this.#insert = db.prepare("INSERT INTO tree_entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	}

	add(record: EventRecord): void {
		const at = this.#sessionOf(record);
		const { id, tip } = at;
		const view = isSpoken(record) ? viewMessage(record.payload) : undefined;
		const { tokens, calls, results } = view ? cutMessage(view) : { tokens: 0, calls: [], results: [] };
		this.#insert.run(
			record.seq,
			id,
			record.entry ?? `#${record.seq}`,
			this.#parentOf(record, id, tip, results.length > 0),
			view ? view.role : null,
			view ? null : (asName(record.payload["kind"]) ?? "unknown"),
			view && view.role === "user" && !view.injected ? 1 : 0,
			tokens,
			calls.length > 0 ? JSON.stringify(calls) : null,
			results.length > 0 ? JSON.stringify(results) : null,
		);
		at.tip = record.seq;
	}

	/** Forgets the previous transaction, which may have been rolled back. */
	begin(): void {
		this.#at = undefined;
	}

	end(): void {
		if (this.#at) this.#move.run(this.#at.tip, this.#at.id);
		this.#at = undefined;
	}

	#sessionOf({ session, host }: EventRecord): Tip {
		if (this.#at?.session === session && this.#at.host === host) return this.#at;
		this.end();
		const row =
			one<TreeSessionRow>(this.#session, session, host) ?? one<TreeSessionRow>(this.#addSession, session, host)!;
		this.#at = { session, host, ...row };
		return this.#at;
	}

	/**
	 * The declared parent, or the previous entry if the log lacks it (its line could not be read). Agents that name no
	 * parents write one line after the other; only an explicit null starts a new root.
	 */
	#parentOf(record: EventRecord, session: number, tip: number, answers: boolean): number | null {
		const before = tip === 0 ? null : tip;
		// OpenClaw sends nothing from before a reset.
		if (record.type === "Entry" && record.payload["kind"] === "reset") return null;
		const declared = asName(record.payload["parent"]);
		if (declared === undefined) return saysRoot(record) ? null : before;
		const parent = one<{ seq: number; role: string | null }>(this.#byEntry, session, declared);
		if (!parent) return before;
		if (answers) return this.#isAfter(tip, parent.seq) ? before : parent.seq;
		if (!isLineOfAnswer(record)) return parent.seq;
		const continues = parent.role === "assistant" ? this.#isAfter(tip, parent.seq) : this.#isEarly(tip, parent.seq);
		return continues ? before : parent.seq;
	}

	/**
	 * Claude Code attaches each result of parallel calls to the line of its own call, and the next line of an answer to the
	 * line before it, although a result came between. Each would become a branch. Attach them to the tip instead if the line
	 * that they name is in the same run.
	 */
	#isAfter(tip: number, line: number): boolean {
		return tip === line || this.#runBack(tip, line) !== undefined;
	}

	/**
	 * Now and then Claude Code writes a result, or a note on it, before the line of its call. The answer after it names that
	 * early line: attach it to the tip instead, or the call is on no path. True if the calls written since have results. An
	 * answer that was made again has none: it is another branch.
	 */
	#isEarly(tip: number, line: number): boolean {
		if (tip === line) return false;
		const run = this.#runBack(tip, line) ?? [];
		const calls = run.flatMap((row) => idsIn(row.calls));
		const results = new Set(run.flatMap((row) => idsIn(row.results)));
		return calls.length > 0 && calls.every((id) => results.has(id));
	}

	/** The entries from the tip back to a line; undefined: the line is not in the same run. */
	#runBack(tip: number, line: number): ParentRow[] | undefined {
		const run: ParentRow[] = [];
		let at = one<ParentRow>(this.#bySeq, tip);
		for (let step = 0; at && step < MAX_STEPS_BACK; step++) {
			run.push(at);
			if (at.seq === line) return run;
			if (at.asks || at.parent === null) return undefined;
			at = one<ParentRow>(this.#bySeq, at.parent);
		}
		return undefined;
	}
}

/** True for messages, and for summaries of abandoned branches, which Pi sends like messages. */
function isSpoken({ type, payload }: EventRecord): boolean {
	return type === "Message" || payload["kind"] === "branch_summary";
}

function idsIn(list: string | null): string[] {
	return list === null ? [] : JSON.parse(list);
}

function isLineOfAnswer({ payload }: EventRecord): boolean {
	return payload["form"] === "anthropic" && payload["role"] === "assistant";
}

function saysRoot({ payload }: EventRecord): boolean {
	const raw = asObject(payload["raw"]);
	return raw !== undefined && (raw["parentId"] === null || raw["parentUuid"] === null);
}
