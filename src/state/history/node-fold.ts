/** The nodes of the history DAG: one row per node, and one per source that is a node. Folded on demand. */

import { asInteger, asList, asName, asObject, asText } from "../../base/json/read.ts";
import { one } from "../../base/sqlite/rows.ts";
import type { EventRecord } from "../../log/event/types.ts";
import type { TableFold } from "../../log/fold/table-folds.ts";

export const nodeFold: TableFold = {
	name: "summary",
	version: 2,
	inline: false,
	tables: { summary_node: "seq", summary_source: "node, place" },
	create(db) {
		db.exec(`
			CREATE TABLE summary_node (
				seq            INTEGER PRIMARY KEY,
				text_seq       INTEGER NOT NULL,  -- of the Summary event that has its newest text
				id             TEXT NOT NULL,
				session        TEXT NOT NULL,
				host           TEXT NOT NULL,
				depth          INTEGER NOT NULL,
				first          INTEGER NOT NULL,  -- seq
				last           INTEGER NOT NULL,  -- seq
				from_entry     TEXT NOT NULL,     -- of first and last: in another log these seqs are other events
				to_entry       TEXT NOT NULL,
				messages       INTEGER NOT NULL,
				message_tokens INTEGER NOT NULL,
				tokens         INTEGER NOT NULL,
				nodes          INTEGER NOT NULL,  -- itself and all below it
				topic          TEXT NOT NULL,
				model          TEXT NOT NULL
			) STRICT;
			CREATE INDEX summary_node_id ON summary_node (id);
			CREATE INDEX summary_node_text ON summary_node (text_seq);
			CREATE INDEX summary_node_last ON summary_node (last, depth);
			CREATE INDEX summary_node_session ON summary_node (session, host, depth, last);
			CREATE TABLE summary_source (
				node   INTEGER NOT NULL,
				place  INTEGER NOT NULL,
				source TEXT NOT NULL,             -- id of a node
				PRIMARY KEY (node, place)
			) STRICT, WITHOUT ROWID;
			CREATE INDEX summary_source_source ON summary_source (source);
		`);
	},
	prepare(db) {
		const insert = db.prepare("INSERT INTO summary_node VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
		// The same node again brings another text. Its coverage and place stay.
		const rewrite = db.prepare(
			`UPDATE summary_node SET text_seq = ?, tokens = ?, topic = ?, model = ?
			WHERE id = ? AND session = ? AND host = ? AND first = ? AND last = ?`,
		);
		const selectNodes = db.prepare("SELECT nodes FROM summary_node WHERE id = ? ORDER BY seq LIMIT 1");
		const insertSource = db.prepare("INSERT INTO summary_source VALUES (?, ?, ?)");
		return (records) => {
			for (const record of records) {
				const node = record.type === "Summary" && record.v === 1 ? readNode(record) : undefined;
				if (!node || rewrite.run(...node.rewriting).changes > 0) continue;
				const below = node.sources.map((source) => one<{ nodes: number }>(selectNodes, source)?.nodes ?? 0);
				insert.run(...node.row(below.reduce((sum, each) => sum + each, 1)));
				for (const [place, source] of node.sources.entries()) insertSource.run(record.seq, place, source);
			}
		};
	},
};

/** Undefined: this Summary is not a readable node. The messages that it would cover stay uncovered. */
function readNode(record: EventRecord) {
	const { payload } = record;
	const stretch = asObject(payload["messages"]) ?? {};
	const [id, from, to] = [asName(payload["node"]), asText(stretch["from"]), asText(stretch["to"])];
	const [depth, first, last] = [asInteger(payload["depth"]), asInteger(stretch["first"]), asInteger(stretch["last"])];
	if (id === undefined || from === undefined || to === undefined) return undefined;
	if (depth === undefined || first === undefined || last === undefined || first > last) return undefined;
	const sources = asList(payload["sources"]).filter((source) => typeof source === "string");
	const { seq, session, host } = record;
	const [tokens, topic] = [asInteger(payload["tokens"]) ?? 0, asText(payload["topic"]) ?? ""];
	const model = asText(payload["model"]) ?? "";
	return {
		rewriting: [seq, tokens, topic, model, id, session, host, first, last] as const,
		row: (nodes: number) =>
			[
				seq,
				seq,
				id,
				session,
				host,
				depth,
				first,
				last,
				from,
				to,
				asInteger(stretch["count"]) ?? 0,
				asInteger(stretch["tokens"]) ?? 0,
				tokens,
				nodes,
				topic,
				model,
			] as const,
		sources: depth > 0 ? sources : [],
	};
}
