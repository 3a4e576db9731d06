/**
 * The bullets of the memory files: one row for each time that a bullet was in a file, with the events that brought and
 * removed it, and one row per write. Folded on demand, so that `why` and `history` read only events that they show.
 */

import { asInteger, asList, asName, asObject, asText } from "../../base/json/read.ts";
import type { EventRecord } from "../../log/event/types.ts";
import type { TableFold } from "../../log/fold/table-folds.ts";
import { keyOfText } from "./document.ts";
import { fileKey } from "./memory-files.ts";

/**
 * SESSION.md says what is so now, and is written every few turns. A disk rarely has one that is so much older. The same holds for the
 * line of a day in HISTORY.md, which each pause replaces.
 */
const KEPT_REVISIONS = 20;

export const memoryFold: TableFold = {
	name: "memory",
	version: 3,
	inline: false,
	isOfOwnWork: true,
	tables: { memory_write: "seq", memory_bullet: "file, id, since" },
	create(db) {
		db.exec(`
			CREATE TABLE memory_write (
				seq      INTEGER PRIMARY KEY,
				file     TEXT NOT NULL,
				revision INTEGER NOT NULL,
				ts       INTEGER NOT NULL,
				after    TEXT NOT NULL       -- SHA-256 of the file
			) STRICT;
			CREATE INDEX memory_write_file ON memory_write (file, revision);
			CREATE TABLE memory_bullet (
				file         TEXT NOT NULL,
				id           TEXT NOT NULL,
				since        INTEGER NOT NULL, -- the revision that brought it
				section      TEXT NOT NULL,
				text         TEXT NOT NULL,
				words        TEXT NOT NULL,    -- hash of what it says, whatever the spelling
				by           TEXT NOT NULL,
				seq          INTEGER NOT NULL,
				ts           INTEGER NOT NULL,
				place        INTEGER NOT NULL,
				until        INTEGER,          -- on probation until then, ms
				gone         INTEGER,          -- the revision that took it away
				gone_seq     INTEGER,
				is_forgotten INTEGER NOT NULL DEFAULT 0,
				replaced_by  TEXT,
				PRIMARY KEY (file, id, since)
			) STRICT, WITHOUT ROWID;
			CREATE INDEX memory_bullet_live ON memory_bullet (file, gone);
			CREATE INDEX memory_bullet_id ON memory_bullet (id);
			CREATE INDEX memory_bullet_words ON memory_bullet (file, words);
			CREATE INDEX memory_bullet_replaced ON memory_bullet (file, replaced_by) WHERE replaced_by IS NOT NULL;
		`);
	},
	prepare(db) {
		const write = db.prepare("INSERT OR REPLACE INTO memory_write VALUES (?, ?, ?, ?, ?)");
		const add = db.prepare(
			`INSERT INTO memory_bullet (file, id, since, section, text, words, by, seq, ts, place, until)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET section = excluded.section, text = excluded.text, words = excluded.words, gone = NULL`,
		);
		const end = db.prepare(
			`UPDATE memory_bullet SET gone = ?, gone_seq = ?, is_forgotten = ?, replaced_by = ?
			WHERE file = ? AND id = ? AND gone IS NULL`,
		);
		const recall = db.prepare(
			"UPDATE memory_bullet SET is_forgotten = 0 WHERE file = ? AND words = ? AND is_forgotten = 1",
		);
		const drop = db.prepare("DELETE FROM memory_bullet WHERE file = ? AND gone < ?");
		const dropWrites = db.prepare("DELETE FROM memory_write WHERE file = ? AND revision < ?");
		const dropReplaced = db.prepare(
			"DELETE FROM memory_bullet WHERE file = ? AND gone < ? AND by = 'state' AND is_forgotten = 0 AND replaced_by IS NOT NULL",
		);
		const confirm = db.prepare("UPDATE memory_bullet SET until = NULL WHERE file = ? AND id = ? AND gone IS NULL");
		const apply = (record: EventRecord, file: string, revision: number): void => {
			const { seq, ts } = record;
			for (const [place, each] of asList(record.payload["ops"]).entries()) {
				const op = asObject(each) ?? {};
				const [id, text] = [asName(op["id"]), asText(op["text"])];
				if (id === undefined) continue;
				const replaces = asName(op["replaces"]);
				switch (op["op"]) {
					case "add":
					case "supersede": {
						if (text === undefined) break;
						if (replaces !== undefined) end.run(revision, seq, 0, id, file, replaces);
						// The same bullet again, in another section.
						end.run(revision, seq, 0, id, file, id);
						const words = keyOfText(text);
						const by = asText(op["by"]) ?? "";
						if (by === "user") recall.run(file, words);
						const section = asText(op["section"]) ?? "";
						add.run(file, id, revision, section, text, words, by, seq, ts, place, asInteger(op["until"]) ?? null);
						break;
					}
					case "invalidate":
						end.run(revision, seq, op["isForgotten"] === true ? 1 : 0, null, file, id);
						break;
					case "confirm":
						confirm.run(file, id);
						break;
				}
			}
		};
		return (records) => {
			for (const record of records) {
				if (record.type !== "MemoryWrite" || record.v !== 1) continue;
				const { session, host, payload } = record;
				const kind = asText(payload["file"]) ?? "";
				const isOfSession = kind === "session" || payload["isOwn"] === true;
				const file = fileKey(kind, isOfSession ? { session, host } : undefined);
				const revision = asInteger(record.payload["revision"]) ?? 0;
				write.run(record.seq, file, revision, record.ts, asText(record.payload["after"]) ?? "");
				apply(record, file, revision);
				if (kind === "session") {
					drop.run(file, revision - KEPT_REVISIONS);
					dropWrites.run(file, revision - KEPT_REVISIONS);
				}
				if (kind === "history") dropReplaced.run(file, revision - KEPT_REVISIONS);
			}
		};
	},
};
