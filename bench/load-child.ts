/** One process of `npm run bench -- log --load`: writes, searches or prunes until the time is up, and says how long each took. */
import { DatabaseSync } from "node:sqlite";
import { setImmediate, setTimeout } from "node:timers/promises";
import { TableFolds } from "../src/log/fold/table-folds.ts";
import { Log } from "../src/log/log.ts";
import { prune } from "../src/log/retention/prune.ts";
import { searchable } from "../src/state/session/searchable.ts";
import { sessionFold } from "../src/state/session/session-fold.ts";
import { MessageSource, QUERIES } from "./corpus.ts";
import { itemAt } from "./measure.ts";

export type LoadRole = "write" | "search" | "prune";
export type LoadArm = "log" | "bare";

interface Arm {
	write(n: number): void;
	search(n: number): void;
	prune(): Promise<void>;
}

const [role, arm, folder, name] = process.argv.slice(2) as [LoadRole, LoadArm, string, string];
const source = new MessageSource(Number(name));
const words = Object.values(QUERIES).flat();
const work = arm === "log" ? openLog() : openBare();
const times: number[] = [];

process.stdout.write("ready\n");
/** When to stop, ms since the epoch: said when all are ready. */
const end = await new Promise<number>((resolve) => process.stdin.once("data", (text) => resolve(Number(text))));
for (let n = 0; Date.now() < end; n++) {
	const start = performance.now();
	if (role === "write") work.write(n);
	else if (role === "search") work.search(n);
	else await work.prune();
	times.push(performance.now() - start);
	if (role === "write") await setImmediate();
	else await setTimeout(role === "search" ? 20 : 500);
}
process.stdout.write(`${JSON.stringify(times)}\n`);
process.stdin.destroy();

function openLog(): Arm {
	const log = new Log({ folder, origin: name, projection: () => new TableFolds([sessionFold]), searchable });
	return {
		write: (n) => log.append([{ ...source.event(n), session: name, entry: `${n}` }, command(n)]),
		search: (n) => log.search.find({ text: itemAt(words, n % words.length), limit: 20 }),
		prune: async () => {
			await prune(log, { now: Date.now(), days: 0, minEvents: 0, apply: true });
		},
	};
}

function command(n: number) {
	const payload = { command: "make", exit: 0, chars: 1, lines: 1, by: "agent", tool: "bash", callId: `${n}` } as const;
	return { type: "CommandRun", session: name, host: "bench", ts: n, entry: `${n}/c`, payload } as const;
}

/** The same bytes, the same roles, and nothing but SQLite. */
function openBare(): Arm {
	const db = new DatabaseSync(`${folder}/bare.db`, { timeout: 60_000 });
	db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
		CREATE TABLE IF NOT EXISTS event (seq INTEGER PRIMARY KEY, session TEXT, type TEXT, entry TEXT, payload TEXT)`);
	const insert = db.prepare("INSERT INTO event (session, type, entry, payload) VALUES (?, ?, ?, ?)");
	const find = db.prepare("SELECT seq FROM event WHERE payload LIKE ? ORDER BY seq DESC LIMIT 20");
	const remove = db.prepare(
		"DELETE FROM event WHERE seq IN (SELECT seq FROM event WHERE type = 'CommandRun' LIMIT 500)",
	);
	return {
		write: (n) => {
			db.exec("BEGIN IMMEDIATE");
			insert.run(name, "Message", `${n}`, JSON.stringify(source.event(n)));
			insert.run(name, "CommandRun", `${n}/c`, JSON.stringify(command(n)));
			db.exec("COMMIT");
		},
		search: (n) => find.all(`%${words[n % words.length]}%`),
		prune: async () => {
			while (Number(remove.run().changes) === 500);
		},
	};
}
