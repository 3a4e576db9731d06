/** The transcripts in OpenClaw's own database: one of Pi's entries a row. `docs/formats/openclaw.md` describes the tables. */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { asName, type JsonObject, parseObject } from "../../base/json/read.ts";
import { all } from "../../base/sqlite/rows.ts";
import { ownerOfKey, ownerOfSession } from "../../state/session/owner.ts";
import type { SessionLocation, StoreRecord } from "../recorded/session-reader.ts";

/** A damaged table may name parents in a circle. */
const MAX_PARENTS = 20;
/** Of one row, unpacked. */
const MAX_EVENT_BYTES = 256 * 1024 * 1024;

export interface StoredSession {
	readonly id: string;
	/** A sub-agent's name starts with that of the session that it works for. */
	readonly name: string;
	readonly owner: string;
	readonly header: JsonObject;
	records(): Iterable<StoreRecord>;
	readonly stamp: string;
}

export function isTranscriptStore(tables: ReadonlySet<string>): boolean {
	return tables.has("transcript_events");
}

export function openclawPlaces(env: NodeJS.ProcessEnv, home: string): SessionLocation[] {
	const root = env["OPENCLAW_STATE_DIR"] || join(home, ".openclaw");
	return [
		{ path: join(root, "agents"), holds: (path) => /(?:openclaw-agent\.sqlite|sessions\/[^/]+\.jsonl)$/.test(path) },
	];
}

interface StoredRow {
	readonly seq: number;
	readonly event_json: string | null;
	readonly event_zstd?: Uint8Array | null;
}

export function* storedSessions(db: DatabaseSync): Generator<StoredSession> {
	const ids = all<{ session_id: string; newest: number }>(
		db.prepare(
			"SELECT session_id, min(created_at) AS began, max(seq) AS newest FROM transcript_events GROUP BY session_id ORDER BY began",
		),
	);
	const generations = generationsIn(db);
	const rows = db.prepare("SELECT * FROM transcript_events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT 100");
	const names = namesIn(db);
	for (const { session_id: id, newest } of ids) {
		const first = all<StoredRow>(rows, id, -1).at(0);
		const header = parseObject(first && textOf(first));
		yield {
			id,
			name: names.nameOf(id),
			owner: names.ownerOf(id),
			stamp: `${newest} ${generations.get(id) ?? ""}`,
			header: { ...(header?.["type"] === "session" ? header : {}), type: "session", id: names.nameOf(id) },
			*records() {
				let newest = -1;
				for (let page = all<StoredRow>(rows, id, newest); page.length > 0; page = all<StoredRow>(rows, id, newest)) {
					for (const row of page) {
						newest = row.seq;
						const text = textOf(row);
						if (text !== undefined) yield { text };
					}
				}
			},
		};
	}
}

/** Maps the key in a spawn's result to the name of the child's session. */
export function childNames(db: DatabaseSync): (key: string) => string | undefined {
	const names = namesIn(db);
	return (key) => {
		const id = names.sessionOf(key);
		return id === undefined ? undefined : names.nameOf(id);
	};
}

/** By session; each rewrite of a transcript changes it. */
function generationsIn(db: DatabaseSync): Map<string, string> {
	try {
		const rows = all<{ session_id: string; generation: unknown }>(
			db.prepare("SELECT session_id, generation FROM transcript_rewrite_watermarks"),
		);
		return new Map(rows.map(({ session_id, generation }) => [session_id, String(generation)]));
	} catch {
		return new Map();
	}
}

/** Large and old rows are compressed. */
function textOf({ event_json, event_zstd }: StoredRow): string | undefined {
	if (typeof event_json === "string") return event_json;
	if (!event_zstd) return undefined;
	try {
		return zstdDecompressSync(event_zstd, { maxOutputLength: MAX_EVENT_BYTES }).toString("utf8");
	} catch {
		return undefined;
	}
}

function namesIn(db: DatabaseSync) {
	const parents = new Map<string, string>();
	const keys = new Map<string, string>();
	const byKey = new Map<string, string>();
	try {
		const windows = all<{ session_id: string; session_key: string; spawned_by: string | null }>(
			db.prepare("SELECT session_id, session_key, spawned_by FROM session_windows ORDER BY created_at"),
		);
		for (const { session_id, session_key } of windows) {
			byKey.set(session_key, session_id);
			keys.set(session_id, session_key);
		}
		for (const { session_id, spawned_by } of windows) {
			const parent = spawned_by === null ? undefined : byKey.get(spawned_by);
			if (parent !== undefined && parent !== session_id) parents.set(session_id, parent);
		}
	} catch {
		// Another version of the host: each session keeps its own name.
	}
	const rootOf = (id: string): string => {
		let root = id;
		for (let steps = 0; steps < MAX_PARENTS; steps++) root = parents.get(root) ?? root;
		return root;
	};
	const nameOf = (id: string): string => {
		const root = rootOf(id);
		return root === id ? id : `${root}/${id}`;
	};
	const ownerOf = (id: string): string => {
		const key = keys.get(rootOf(id));
		return key === undefined ? ownerOfSession(rootOf(id)) : ownerOfKey(key);
	};
	return { nameOf, ownerOf, sessionOf: (key: string) => asName(byKey.get(key)) };
}
