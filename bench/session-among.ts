/**
 * `npm run bench -- session`: does a question about one session depend only on that session's size, however many others there
 * are? And how fast is an import with indexing, compared with the unavoidable work? Ratios only; nothing here is a test.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { READERS } from "../src/agent/agents.ts";
import { importFile } from "../src/agent/recorded/import.ts";
import { importTarget } from "../src/agent/recorded/intake.ts";
import { DEFAULT_WINDOW_TOKENS } from "../src/base/tokens/prices.ts";
import { lookAt } from "../src/context/request-at.ts";
import { type Engine, openEngine } from "../src/engine.ts";
import { readDocument } from "../src/log/search/indexed-document.ts";
import { agentSessions } from "../src/state/session/find-session.ts";
import { searchable } from "../src/state/session/searchable.ts";
import { cpuMs, itemAt, median, micros, type Ratio } from "./measure.ts";
import { madeUpSession } from "./session.ts";

const SESSIONS = 50;
const REQUESTS = 80;
const ROUNDS = 5;
const AMONG_BOUND = 1.5;
const IMPORT_BOUND = 8;

export interface SessionBenchOptions {
	/** A recorded session to bring in; without it, a made-up one. */
	readonly transcript?: string | undefined;
	readonly onProgress?: (what: string) => void;
}

export async function runSessionBench(
	options: SessionBenchOptions = {},
): Promise<{ readonly ratios: readonly Ratio[] }> {
	const folder = mkdtempSync(join(tmpdir(), "weft-bench-"));
	const say = options.onProgress ?? (() => {});
	try {
		say(`the context of one session, alone and among ${SESSIONS}`);
		const among = await contextAmong(folder);
		say("importing, beside JSON.parse and a bare FTS5 insert");
		const transcript = options.transcript ?? writeSession(folder, 0, REQUESTS * 10);
		return { ratios: [among, await importing(folder, transcript)] };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function contextAmong(folder: string): Promise<Ratio> {
	const files = Array.from({ length: SESSIONS }, (_, n) => writeSession(folder, n + 1, REQUESTS));
	const asked = Math.floor(SESSIONS / 2);
	const alone = await imported(join(folder, "alone"), files.slice(asked, asked + 1));
	const among = await imported(join(folder, "among"), files);
	try {
		const id = itemAt(agentSessions(alone.log), 0).session;
		const rounds: { readonly alone: number; readonly among: number }[] = [];
		for (let round = 0; round <= ROUNDS; round++) {
			const one = await timeContext(alone, id);
			const other = await timeContext(among, id);
			if (round > 0) rounds.push({ alone: one, among: other });
		}
		return {
			name: `the context of one session among ${SESSIONS}`,
			beside: "the same session alone",
			ratio: median(rounds.map((round) => round.among / round.alone)),
			bound: AMONG_BOUND,
			detail: `${micros(median(rounds.map((round) => round.among)))} against ${micros(median(rounds.map((round) => round.alone)))}`,
		};
	} finally {
		alone.close();
		among.close();
	}
}

async function timeContext({ log, history, stateAt }: Engine, id: string): Promise<number> {
	const start = cpuMs();
	const { session, host } = agentSessions(log).find((each) => each.session === id)!;
	await lookAt(log.newestSeq(), {
		log,
		history,
		session: { session, host },
		settings: { mode: "woven", window: DEFAULT_WINDOW_TOKENS, profile: "balanced" },
		stateAt: (seq) => stateAt(seq).state,
	});
	return cpuMs() - start;
}

/** Everything that `weft import` does: events, folds and both indexes of the search. In processor time. */
async function importing(folder: string, file: string): Promise<Ratio> {
	const rounds: { readonly ours: number; readonly bare: number; readonly both: number }[] = [];
	for (let round = 0; round <= ROUNDS; round++) {
		const start = cpuMs();
		const engine = await imported(join(folder, `import-${round}`), [file]);
		const ours = cpuMs() - start;
		const texts = [...engine.log.read({ types: ["Message"] })].flatMap((record) => searchable(record)?.text ?? []);
		engine.close();
		const rows = texts.map((text) => {
			const { grams, texts: fed } = readDocument([text]);
			return [Buffer.from(itemAt(fed, 0)).toString(), grams];
		});
		const bareStart = cpuMs();
		bareInsert(
			join(folder, `bare-${round}.db`),
			file,
			BARE_TABLES,
			texts.map((text) => [text]),
		);
		const bothStart = cpuMs();
		bareInsert(join(folder, `both-${round}.db`), file, OUR_TABLES, rows);
		if (round > 0) rounds.push({ ours, bare: bothStart - bareStart, both: cpuMs() - bothStart });
	}
	const middle = (of: (round: (typeof rounds)[number]) => number) => median(rounds.map(of));
	const inBoth = middle(({ ours, both }) => ours / both).toFixed(2);
	return {
		name: "import of a session, with its index",
		beside: "JSON.parse and a bare FTS5 insert",
		ratio: middle(({ ours, bare }) => ours / bare),
		bound: IMPORT_BOUND,
		detail: `${micros(middle(({ ours }) => ours))} against ${micros(middle(({ bare }) => bare))}; ${inBoth} of both index tables`,
	};
}

const BARE_TABLES = ["fts5 (body)"];
/** Words, parts of identifiers and pairs of CJK characters in one, triples of letters in the other. */
const OUR_TABLES = [
	"fts5 (body, content = '', tokenize = 'porter unicode61 remove_diacritics 2')",
	"fts5 (body, content = '', tokenize = 'ascii', detail = none, columnsize = 0)",
];

/** Parses the file and writes the content of each row into its table. */
function bareInsert(path: string, file: string, tables: readonly string[], rows: readonly (readonly string[])[]): void {
	for (const line of readFileSync(file, "utf8").split("\n")) {
		try {
			JSON.parse(line);
		} catch {
			// A bad line costs as much.
		}
	}
	const db = new DatabaseSync(path);
	db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
	for (const [n, table] of tables.entries()) db.exec(`CREATE VIRTUAL TABLE text${n} USING ${table}`);
	db.exec("BEGIN");
	const inserts = tables.map((_, n) => db.prepare(`INSERT INTO text${n} (rowid, body) VALUES (?, ?)`));
	for (const [at, row] of rows.entries()) for (const [n, text] of row.entries()) itemAt(inserts, n).run(at + 1, text);
	db.exec("COMMIT");
	db.close();
}

async function imported(home: string, files: readonly string[]): Promise<Engine> {
	const engine = openEngine({ cwd: home, home, host: "bench", env: {}, trusted: false });
	const { log } = engine;
	for (const file of files) {
		await importFile(file, { readers: READERS, logFor: () => importTarget(log) });
	}
	log.settle({ all: true });
	log.foldMissing();
	log.search.catchUp({});
	return engine;
}

function writeSession(folder: string, seed: number, requests: number): string {
	const file = join(folder, `session-${seed}.jsonl`);
	writeFileSync(file, madeUpSession({ seed, requests }));
	return file;
}
