/**
 * Small files that say they are endless: files of holes, databases whose schemas compute their rows, rows and archives that
 * unpack to gigabytes. Each import ends in time and in a sentence, and costs no other file. Children run with a deadline and
 * little memory.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	closeSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readFileSync,
	realpathSync,
	rmSync,
	truncateSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createGzip, zstdCompressSync } from "node:zlib";
import { FORMATS, type Format, writeFormat } from "../formats/formats.ts";
import { SCRIPT } from "../formats/script.ts";
import { tellCount } from "./count.ts";

const CLI = fileURLToPath(new URL("../../src/show/cli/main.ts", import.meta.url));
const DEADLINE_MS = 60_000;
const GB = 1024 ** 3;
const root = realpathSync(mkdtempSync(join(tmpdir(), "weft-attack-bombs-")));
after(() => rmSync(root, { recursive: true, force: true }));

interface Imported {
	readonly said: string;
	readonly failed: readonly { readonly file: string }[];
	readonly files: readonly { readonly file: string }[];
}

function importFolder(home: string): Imported {
	mkdirSync(join(home, "project", ".git"), { recursive: true });
	const env = { PATH: process.env["PATH"] ?? "", HOME: home, WEFT_HOME: join(home, "weft") };
	const args = ["--max-old-space-size=1024", CLI, "import", "--yes", "--json"];
	const limits = { timeout: DEADLINE_MS, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 } as const;
	const { signal, stdout, stderr } = spawnSync(process.execPath, args, {
		...{ ...limits, env, cwd: join(home, "project"), encoding: "utf8" },
	});
	assert.equal(signal, null, `it did not end in ${DEADLINE_MS} ms: ${stderr}`);
	assert.doesNotMatch(stderr, /should not have happened|heap out of memory/);
	return { ...(JSON.parse(stdout) as Omit<Imported, "said">), said: stdout + stderr };
}

/** Pieces of text at places of a file that has nothing else. */
function writeHoles(path: string, bytes: number, texts: Readonly<Record<number, string>>): void {
	const file = openSync(path, "w");
	for (const [at, text] of Object.entries(texts)) writeSync(file, text, Number(at));
	closeSync(file);
	truncateSync(path, bytes);
}

const piFormat = FORMATS.find(({ agent, isOld }) => agent === "pi" && !isOld) ?? assert.fail();

test("files of holes end in time, and other sessions get in", () => {
	const home = join(root, "holes");
	const whole = writeFormat(piFormat, home, SCRIPT);
	const [head = ""] = readFileSync(whole, "utf8").split("\n");
	const of = (name: string) => join(dirname(whole), name);
	const start = (id: string) => head.replace(/"id":"[^"]+"/, `"id":"${id}"`);
	const breaks = Array.from({ length: 100 }, (_, n) => [(n + 1) * 60_000_000, "\n"]);
	writeHoles(of("after.jsonl"), 40 * GB, { 0: `${start("after")}\n` });
	writeHoles(of("within.jsonl"), 40 * GB, { 0: `${start("within")}\n{"type":"message","id":"m` });
	writeHoles(of("lines.jsonl"), 40 * GB, { 0: `${start("lines")}\n`, ...Object.fromEntries(breaks) });
	writeHoles(of("nothing.jsonl"), 40 * GB, {});
	writeHoles(of("session-1.json"), 40 * GB, { 0: "{" });
	const { files } = importFolder(home);
	assert.ok(files.some(({ file }) => file === whole));
	tellCount("files of holes", { files: 5, "GB each": 40 });
});

const tableOf = ({ agent }: Format) => (agent === "openclaw" ? "transcript_events" : "message");
const columnsOf = (db: DatabaseSync, table: string) =>
	db
		.prepare("SELECT name FROM pragma_table_info(?)")
		.all(table)
		.map(({ name }) => String(name));
const endless = (columns: readonly string[]) =>
	`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS at, ${columns.map((name) => `'x' || i AS ${name}`).join()} FROM n`;

const BOMBS: Readonly<Record<string, (db: DatabaseSync, table: string) => void>> = {
	"a column of 400 MB that is computed": (db, table) =>
		db.exec(`ALTER TABLE ${table} ADD COLUMN bomb TEXT GENERATED ALWAYS AS (hex(zeroblob(200000000))) VIRTUAL`),
	"a view without an end": (db, table) => {
		const columns = columnsOf(db, table);
		db.exec(`PRAGMA foreign_keys = OFF; DROP TABLE ${table}; CREATE VIEW ${table} AS ${endless(columns)}`);
	},
	"an index of text over a view without an end": (db, table) => {
		const columns = columnsOf(db, table);
		db.exec(`PRAGMA foreign_keys = OFF; DROP TABLE ${table}; CREATE VIEW endless AS ${endless(columns)}`);
		db.exec(`CREATE VIRTUAL TABLE ${table} USING fts5(${columns.join()}, content='endless', content_rowid='at')`);
	},
	"a table beside it without an end": (db) => {
		for (const name of ["session_windows", "transcript_rewrite_watermarks"]) {
			const columns = ["session_id", "session_key", "spawned_by", "created_at", "generation"];
			db.exec(`DROP TABLE IF EXISTS ${name}; CREATE VIEW ${name} AS ${endless(columns)}`);
		}
	},
};

for (const format of FORMATS.filter(({ path }) => /\.(?:db|sqlite)$/.test(path))) {
	test(`${format.agent}: databases that compute their rows end in time, and other sessions get in`, () => {
		let told = 0;
		for (const [what, arm] of Object.entries(BOMBS)) {
			const home = join(root, `${format.agent}-${told++}`);
			const path = writeFormat(format, home, SCRIPT);
			const whole = writeFormat(piFormat, home, SCRIPT);
			const db = new DatabaseSync(path);
			arm(db, tableOf(format));
			db.close();
			const { files, said } = importFolder(home);
			assert.ok(
				files.some(({ file }) => file === whole),
				`${what}: ${said}`,
			);
			if (!what.includes("beside"))
				assert.match(said, /was not read: rows of .+ are computed, and weft reads only/, what);
			assert.doesNotMatch(said, /no known kind/, what);
		}
		tellCount(`databases of ${format.agent} that compute`, { databases: told });
	});
}

test("a row that unpacks to gigabytes costs itself", () => {
	const format = FORMATS.find(({ agent }) => agent === "openclaw") ?? assert.fail();
	const home = join(root, "packed");
	const path = writeFormat(format, home, SCRIPT);
	const frame = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024));
	const db = new DatabaseSync(path);
	if (!columnsOf(db, "transcript_events").includes("event_zstd"))
		db.exec("ALTER TABLE transcript_events ADD COLUMN event_zstd BLOB");
	db.exec("PRAGMA ignore_check_constraints = ON");
	db.prepare(
		"UPDATE transcript_events SET event_json = NULL, event_zstd = ? WHERE seq = (SELECT max(seq) FROM transcript_events)",
	).run(Buffer.concat(Array.from({ length: 128 }, () => frame)));
	db.close();
	const { files, said } = importFolder(home);
	assert.equal(files.length, 1, said);
	tellCount("rows that unpack to gigabytes", { rows: 1, GB: 8 });
});

test("an archive that unpacks to gigabytes of one line is refused in time", async () => {
	const home = join(root, "archive");
	const whole = writeFormat(piFormat, home, SCRIPT);
	const gzip = createGzip();
	const packed = gzip.toArray();
	gzip.write('{"type":"weft-archive","v":1}\n');
	const zeros = Buffer.alloc(64 * 1024 * 1024);
	for (let n = 0; n < 40; n++) if (!gzip.write(zeros)) await new Promise((done) => gzip.once("drain", done));
	gzip.end();
	writeFileSync(join(dirname(whole), "bomb.jsonl.gz"), Buffer.concat((await packed) as Buffer[]));
	const { files } = importFolder(home);
	assert.ok(files.some(({ file }) => file === whole));
	tellCount("archives that unpack to gigabytes", { archives: 1 });
});
