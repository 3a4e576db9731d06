/** Puts events into a log that its door would not let in, as an older version or a hand may have done. The chain stays whole. */

import { databaseOf } from "../../src/log/database.ts";
import type { AnyPayload } from "../../src/log/event/types.ts";
import type { Log } from "../../src/log/log.ts";
import { chainHash, GENESIS } from "../../src/log/store/chain.ts";

export interface Poison {
	readonly type: string;
	/** Its payload, or the text of it. */
	readonly payload: AnyPayload | string;
	readonly v?: number;
	readonly session?: string;
	readonly host?: string;
}

/** Returns their seqs. */
export function poison(log: Log, events: readonly Poison[]): readonly number[] {
	const places = events.map(({ v, session = "s", host = "pi" }, n) => {
		const name = { session, host, ts: 1_000 + n, entry: `poison ${log.newestSeq() + n}` };
		return { type: "Custom" as const, v, ...name, payload: { name: "poison" } };
	});
	const { seqs } = log.append(places);
	const db = databaseOf(log);
	for (const [n, { type, payload }] of events.entries()) {
		const text = typeof payload === "string" ? payload : JSON.stringify(payload);
		const { tool, path } = typeof payload === "string" ? {} : payload;
		db.prepare("UPDATE event SET type = ?, tool = ?, file = ?, payload = ?, size = ? WHERE seq = ?").run(
			wordOf(log, type),
			wordOf(log, tool),
			wordOf(log, path),
			text,
			text.length,
			seqs[n]!,
		);
	}
	log.forget();
	relink(log, seqs[0]!);
	return seqs;
}

function wordOf(log: Log, text: unknown): number | null {
	if (typeof text !== "string" || text === "") return null;
	const db = databaseOf(log);
	db.prepare("INSERT INTO word (text) VALUES (?) ON CONFLICT DO NOTHING").run(text);
	return (db.prepare("SELECT id FROM word WHERE text = ?").get(text) as { id: number }).id;
}

/** Makes the hashes fit again, from an event on. */
function relink(log: Log, first: number): void {
	const db = databaseOf(log);
	let previous = first === 1 ? GENESIS : log.hashAt(first - 1)!;
	const rows = db
		.prepare(
			`SELECT seq, lower(hex(event.id)) AS id, origin.text AS origin, session.text AS session, host.text AS host, ts,
				type.text AS type, v, cause, entry, payload FROM event
			JOIN word AS origin ON origin.id = event.origin JOIN word AS session ON session.id = event.session
			JOIN word AS host ON host.id = event.host JOIN word AS type ON type.id = event.type
			WHERE seq >= ? ORDER BY seq`,
		)
		.all(first) as unknown as (Parameters<typeof chainHash>[1] & { readonly payload: string })[];
	for (const row of rows) {
		const id = row.id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
		previous = chainHash(previous, { ...row, id }, row.payload);
		db.prepare("UPDATE event SET hash = ? WHERE seq = ?").run(Buffer.from(previous, "hex"), row.seq);
	}
	log.forget();
}
