/** `npm run bench -- log`: the log compared with bare SQLite, in one run, as ratios. Nothing here is a test: machines are noisy. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { READERS } from "../src/agent/agents.ts";
import { importFile } from "../src/agent/recorded/import.ts";
import { openEngine } from "../src/engine.ts";
import { databaseOf } from "../src/log/database.ts";
import type { NewEvent } from "../src/log/event/types.ts";
import { TableFolds } from "../src/log/fold/table-folds.ts";
import { Log } from "../src/log/log.ts";
import type { ReadQuery } from "../src/log/types.ts";
import { searchable } from "../src/state/session/searchable.ts";
import { sessionFold } from "../src/state/session/session-fold.ts";
import { MessageSource, QUERIES } from "./corpus.ts";
import { itemAt, median, medianRatio, micros, type Ratio, timed } from "./measure.ts";

const SMALL = 1_000;
const LARGE = 100_000;
const BATCH = 100;
const SEARCH_ROUNDS = 5;

export interface LogBenchOptions {
	/** A recorded session, for the size on disk. */
	readonly transcript: string;
	readonly onProgress?: (what: string) => void;
}

export interface LogBenchReport {
	readonly ratios: readonly Ratio[];
	/** How fast full text indexing is, apart from the appends. */
	readonly indexedMBPerSecond: number;
	readonly queries: typeof QUERIES;
}

export async function runLogBench(options: LogBenchOptions): Promise<LogBenchReport> {
	const folder = mkdtempSync(join(tmpdir(), "weft-bench-"));
	const say = options.onProgress ?? (() => {});
	try {
		say("appending beside a bare INSERT");
		const single = appendSingle(folder);
		const batch = appendBatch(folder);
		say("size on disk");
		const size = await bytesOnDisk(folder, options.transcript);
		say(`filling a log with ${LARGE} messages`);
		using small = filled(join(folder, "small"), SMALL);
		using large = filled(join(folder, "large"), LARGE);
		say("reading all of it");
		const reading = readAll(folder, large);
		say("appending at the end of it");
		const growth = appendGrowth(small, large);
		const opening = openGrowth(small, large);
		say("indexing it for search");
		const indexing = indexAll(large);
		say("searching it");
		const ratios = [single, batch, reading, ...searchThirds(large), growth, opening, size];
		return { ratios, indexedMBPerSecond: indexing, queries: QUERIES };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function openLog(folder: string): Log {
	return new Log({ folder, origin: "bench", projection: () => new TableFolds([sessionFold]), searchable });
}

/** SQLite alone: the same columns and pragmas, no index but the key, nothing computed. */
function openBare(path: string): { insert: (n: number, entry: string, json: string) => void; db: DatabaseSync } {
	const db = new DatabaseSync(path, { timeout: 5_000 });
	db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000;
		CREATE TABLE event (seq INTEGER PRIMARY KEY, id BLOB, origin INTEGER, session INTEGER, host INTEGER, ts INTEGER,
			type INTEGER, v INTEGER, cause INTEGER, entry TEXT, tool INTEGER, file INTEGER, size INTEGER, payload, hash BLOB)`);
	const statement = db.prepare("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	const id = new Uint8Array(16);
	const hash = new Uint8Array(32);
	const insert = (n: number, entry: string, json: string) =>
		statement.run(n, id, 1, 2, 3, n, 4, 1, null, entry, null, null, json.length, json, hash);
	return { insert, db };
}

/** Both arms get the payload as an object and write its JSON. */
function payloadEvent(n: number, text: string): NewEvent {
	return {
		type: "Custom",
		session: "s",
		host: "bench",
		ts: n,
		entry: `e${n}`,
		payload: { name: "message", data: text },
	};
}

function appendSingle(folder: string): Ratio {
	using log = openLog(join(folder, "single"));
	const bare = openBare(join(folder, "single.db"));
	const source = new MessageSource(1);
	const events = Array.from({ length: 6 * 500 }, (_, n) => payloadEvent(n + 1, source.text()));
	const { ratio, oursMs, otherMs } = medianRatio(
		500,
		(n) => log.append([itemAt(events, n)]),
		(n) => bare.insert(n + 1, itemAt(events, n).entry ?? "", JSON.stringify(itemAt(events, n).payload)),
	);
	bare.db.close();
	return {
		name: "append one event",
		beside: "a bare INSERT",
		ratio,
		bound: 2.5,
		detail: `${micros(oursMs)} against ${micros(otherMs)}`,
	};
}

function appendBatch(folder: string): Ratio {
	using log = openLog(join(folder, "batch"));
	const bare = openBare(join(folder, "batch.db"));
	const source = new MessageSource(2);
	const perRound = 20;
	const batches = Array.from({ length: 6 * perRound }, (_, b) =>
		Array.from({ length: BATCH }, (_, n) => payloadEvent(b * BATCH + n + 1, source.text())),
	);
	const { ratio, oursMs, otherMs } = medianRatio(
		perRound,
		(n) => log.append(itemAt(batches, n)),
		(n) => {
			bare.db.exec("BEGIN");
			for (const event of itemAt(batches, n)) bare.insert(event.ts, event.entry ?? "", JSON.stringify(event.payload));
			bare.db.exec("COMMIT");
		},
	);
	bare.db.close();
	return {
		name: `append ${BATCH} at once`,
		beside: "bare INSERTs",
		ratio,
		bound: 2.75,
		detail: `${micros(oursMs)} against ${micros(otherMs)}`,
	};
}

function filled(folder: string, count: number): Log {
	const log = openLog(folder);
	const source = new MessageSource(3);
	for (let n = 0; n < count; n += 1_000) {
		const events = Array.from({ length: Math.min(1_000, count - n) }, (_, at) => source.event(n + at));
		log.append(events, { packed: true });
	}
	return log;
}

function readAll(folder: string, log: Log): Ratio {
	const bare = openBare(join(folder, "read.db"));
	bare.db.exec("BEGIN");
	for (const record of log.readStored()) bare.insert(record.seq, record.entry ?? "", record.text);
	bare.db.exec("COMMIT");
	const select = bare.db.prepare("SELECT * FROM event ORDER BY seq");
	const { ratio, oursMs, otherMs } = medianRatio(
		1,
		() => {
			for (const _ of log.read());
		},
		() => {
			for (const row of select.iterate()) JSON.parse((row as { payload: string }).payload);
		},
	);
	bare.db.close();
	return {
		name: `read and parse ${LARGE} events`,
		beside: "a bare SELECT with JSON.parse",
		ratio,
		bound: 2,
		detail: `${micros(oursMs)} against ${micros(otherMs)}`,
	};
}

function appendGrowth(small: Log, large: Log): Ratio {
	const source = new MessageSource(4);
	const events = Array.from({ length: 6 * 300 }, (_, n) => payloadEvent(n, source.text()));
	const { ratio, oursMs, otherMs } = medianRatio(
		300,
		(n) => large.append([itemAt(events, n)]),
		(n) => small.append([itemAt(events, n)]),
	);
	return {
		name: `append at ${LARGE} events`,
		beside: `at ${SMALL}`,
		ratio,
		bound: 1.5,
		detail: `${micros(oursMs)} against ${micros(otherMs)}`,
	};
}

function openGrowth(small: Log, large: Log): Ratio {
	const { ratio, oursMs, otherMs } = medianRatio(
		10,
		() => openLog(large.folder).close(),
		() => openLog(small.folder).close(),
	);
	return {
		name: `open a log of ${LARGE} events`,
		beside: `of ${SMALL}`,
		ratio,
		bound: 2,
		detail: `${micros(oursMs)} against ${micros(otherMs)}`,
	};
}

function indexAll(log: Log): number {
	const { bytes } = databaseOf(log).prepare("SELECT sum(size) AS bytes FROM event").get() as { bytes: number };
	return bytes / 1e6 / (timed(() => log.search.catchUp()) / 1_000);
}

/** Per third of the query set: our median time, less 2 ms, compared with a bare ranked query on the same index. */
function searchThirds(log: Log): Ratio[] {
	const bare = databaseOf(log).prepare(
		"SELECT rowid FROM search_words WHERE search_words MATCH ? ORDER BY rank LIMIT 20",
	);
	return Object.entries(QUERIES).map(([third, queries]) => {
		const rounds: { ours: number; other: number }[] = [];
		for (let round = 0; round <= SEARCH_ROUNDS; round++) {
			const times = queries.map((text) => ({
				other: timed(() => bare.all(`"${text}"`)),
				ours: timed(() => log.search.find({ text, limit: 20 })),
			}));
			if (round === 0) continue;
			rounds.push({ ours: median(times.map((time) => time.ours)), other: median(times.map((time) => time.other)) });
		}
		const ours = median(rounds.map((round) => round.ours));
		const other = median(rounds.map((round) => round.other));
		return {
			name: `search, ${third} words`,
			beside: "a bare ranked FTS5 query + 2 ms",
			ratio: median(rounds.map((round) => Math.max(0, round.ours - 2) / round.other)),
			bound: 1.5,
			detail: `${micros(ours)} against ${micros(other)}`,
		};
	});
}

async function bytesOnDisk(folder: string, transcript: string): Promise<Ratio> {
	const home = join(folder, "home");
	const engine = openEngine({ cwd: folder, home, host: "bench", env: {} });
	const { log } = engine;
	const target = {
		append: (events: readonly NewEvent[]) => log.append(events, { packed: true }),
		read: (query?: ReadQuery) => log.read(query),
	};
	await importFile(transcript, { readers: READERS, logFor: () => target });
	log.search.catchUp();
	const data = engine.project.folder;
	await engine.endSession();
	const disk = readdirSync(data, { recursive: true }).reduce((sum, name) => {
		const stat = statSync(join(data, String(name)));
		return sum + (stat.isFile() ? stat.size : 0);
	}, 0);
	const size = statSync(transcript).size;
	return {
		name: "bytes on disk",
		beside: "bytes of the transcript",
		ratio: disk / size,
		bound: 2,
		detail: `${disk} against ${size}`,
	};
}
