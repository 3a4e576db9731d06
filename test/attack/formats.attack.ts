/**
 * Session files of every format, changed at random and in every column: each ends in events or in a sentence, and a bad row
 * costs one row or one session. The same changes for the same `WEFT_ATTACK_SEED`.
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { FileFollower } from "../../src/agent/recorded/file-follower.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { importTarget } from "../../src/agent/recorded/intake.ts";
import { peekSessions } from "../../src/agent/recorded/session-files.ts";
import { EngineError } from "../../src/base/error/engine-error.ts";
import { Log } from "../../src/log/log.ts";
import { verify } from "../../src/log/repair/verify.ts";
import { FORMATS, type Format, writeFormat } from "../formats/formats.ts";
import { SCRIPT } from "../formats/script.ts";
import { processorMs } from "../rig/processor-time.ts";
import { randomFrom, tellCount } from "./count.ts";
import { rounds } from "./time.ts";

const MAX_MS = 20_000;
const root = mkdtempSync(join(tmpdir(), "weft-attack-formats-"));
after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

const draw = randomFrom(31);
const below = (n: number): number => Math.floor(draw() * n);
const oneOf = <T>(list: readonly T[]): T => list[below(list.length)]!;

interface Outcome {
	readonly kind: "imported" | "refused" | "broken";
	readonly why?: string;
	readonly sessions: readonly string[];
	readonly malformed: number;
}

/** Imports, looks and follows; whatever is thrown must be a sentence. */
async function read(path: string): Promise<Outcome> {
	const folder = join(root, `log-${++folders}`);
	using log = new Log({ folder, origin: "here" });
	const began = processorMs();
	let outcome: Outcome;
	try {
		const { sessions, malformedCount } = await importFile(path, { readers: READERS, logFor: () => log });
		outcome = { kind: "imported", sessions: sessions.map(({ session }) => session), malformed: malformedCount };
	} catch (error) {
		const kind = error instanceof EngineError ? "refused" : "broken";
		outcome = { kind, why: String((error as Error)?.stack ?? error), sessions: [], malformed: 0 };
	}
	try {
		await peekSessions(path, READERS);
		const follower = new FileFollower({ readers: READERS, files: () => [path], logFor: () => log });
		await follower.look();
		assert.deepEqual(verify(log).problems, []);
	} catch (error) {
		if (!(error instanceof EngineError)) outcome = { ...outcome, kind: "broken", why: String((error as Error).stack) };
	}
	const ms = processorMs() - began;
	if (ms > MAX_MS) outcome = { ...outcome, kind: "broken", why: `took ${Math.round(ms)} ms` };
	log.close();
	rmSync(folder, { recursive: true, force: true });
	return outcome;
}

const ODD_VALUES: readonly string[] = [
	...["null", "true", "[]", "{}", '""', "-1", "1e400", "9007199254740993", '"\\ud800"', '"../../../../etc/passwd"'],
	...['{"__proto__":1}', '{"toString":1}', "[[]]", '[null,1,"x",{}]', '"<system-reminder>"', '"1970-01-01T00:00:00Z"'],
	`${"[".repeat(6_000)}${"]".repeat(6_000)}`,
	`${'{"a":'.repeat(6_000)}1${"}".repeat(6_000)}`,
	JSON.stringify("long ".repeat(20_000)),
];

/** Where JSON values begin and end in a text, roughly: after a colon, up to the value's end. */
function swapValue(text: string): string {
	const places = [...text.matchAll(/:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|\[\]|\{\})/g)];
	if (places.length === 0) return text;
	const place = oneOf(places);
	const start = place.index + place[0].length - place[1]!.length;
	return text.slice(0, start) + oneOf(ODD_VALUES) + text.slice(place.index + place[0].length);
}

const dropKey = (text: string) => {
	const places = [...text.matchAll(/"[\w$]+"\s*:/g)];
	if (places.length === 0) return text;
	const { index, 0: key } = oneOf(places);
	return `${text.slice(0, index)}"gone":${text.slice(index + key.length)}`;
};

const TEXT_CHANGES: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
	"a value": (bytes) => Buffer.from(swapValue(bytes.toString("utf8"))),
	"several values": (bytes) => Buffer.from(swapValue(swapValue(swapValue(bytes.toString("utf8"))))),
	"a key": (bytes) => Buffer.from(dropKey(bytes.toString("utf8"))),
	"a byte": (bytes) => {
		const changed = Buffer.from(bytes);
		changed[below(changed.length)] = below(256);
		return changed;
	},
	"its end": (bytes) => bytes.subarray(0, below(bytes.length)),
	"its beginning": (bytes) => bytes.subarray(below(bytes.length)),
	"a part twice": (bytes) => {
		const [from, to] = [below(bytes.length), below(bytes.length)].sort((one, other) => one - other);
		return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
	},
	"lines in another order": (bytes) => {
		const lines = bytes.toString("utf8").split("\n");
		const at = below(lines.length);
		return Buffer.from([...lines.slice(at), ...lines.slice(0, at)].join("\n"));
	},
};

const broken: string[] = [];
const note = (format: Format, change: string, { kind, why }: Outcome) => {
	if (kind === "broken") broken.push(`${format.agent} (${basename(format.path)}), ${change}: ${why}`);
};

for (const [nth, format] of FORMATS.entries()) {
	const isDatabase = /\.(?:db|sqlite)$/.test(format.path);
	test(`changed files of ${format.agent}${format.isOld ? ", an earlier version" : ""}`, async () => {
		const told = { files: 0, imported: 0, refused: 0, broken: 0 };
		const home = join(root, `home-${nth}`);
		const path = writeFormat(format, home, SCRIPT);
		const whole = readFileSync(path);
		const copy = isDatabase ? join(dirname(path), `copy-${basename(path)}`) : path;
		for (const [change, apply] of Object.entries(TEXT_CHANGES)) {
			for (let n = 0; n < rounds(isDatabase ? 2 : 4); n++) {
				writeFileSync(copy, apply(whole));
				const outcome = await read(copy);
				told.files++;
				told[outcome.kind]++;
				note(format, change, outcome);
			}
		}
		tellCount(`changed files of ${format.agent}${format.isOld ? " before" : ""}`, told);
		assert.deepEqual(broken, []);
	});
	if (isDatabase) databaseTests(format, join(root, `rows-${nth}`));
}

/** What a column holds in one row. */
const ODD_CELLS: readonly (string | number | null | Buffer)[] = [
	...["", "x", "../../x", "\0", '"', "{}", "[]", "null", '{"role":5}', '{"role":"assistant","content":[[]]}'],
	...[null, -1, 0, Number.MAX_SAFE_INTEGER, 1.5, Buffer.from([0xff, 0xfe, 0]), Buffer.alloc(0)],
];

/** In every column; of the others, each column has some. */
const ALWAYS: readonly (string | null)[] = ["", null, "[".repeat(6_000) + "]".repeat(6_000)];

function databaseTests(format: Format, home: string): void {
	const path = writeFormat(format, home, SCRIPT);
	writeFormat(format, home, SCRIPT, { session: 2 });
	const copy = join(dirname(path), `copy-${basename(path)}`);
	const changed = async (change: (db: DatabaseSync) => void): Promise<Outcome> => {
		copyFileSync(path, copy);
		const db = new DatabaseSync(copy);
		try {
			change(db);
		} finally {
			db.close();
		}
		return read(copy);
	};
	const tables = ["session", "message", "part", "transcript_events"];
	const columns = () => {
		const db = new DatabaseSync(path);
		const found = tables.flatMap((table) =>
			db
				.prepare(`SELECT name FROM pragma_table_info('${table}')`)
				.all()
				.map(({ name }) => [table, String(name)] as const),
		);
		db.close();
		return found;
	};

	test(`${format.agent}: every column missing, and every kind of cell`, async () => {
		const told = { files: 0, imported: 0, refused: 0, broken: 0, "sessions lost": 0 };
		const count = (change: string, outcome: Outcome) => {
			told.files++;
			told[outcome.kind]++;
			note(format, change, outcome);
		};
		for (const [table, column] of columns()) {
			count(
				`without ${table}.${column}`,
				await changed((db) => db.exec(`ALTER TABLE ${table} RENAME COLUMN ${column} TO gone_${column}`)),
			);
			for (const cell of [...ALWAYS, ...Array.from({ length: rounds(2) }, () => oneOf(ODD_CELLS))]) {
				const what = `${table}.${column} = ${String(cell).slice(0, 20)}`;
				const outcome = await changed((db) => {
					db.exec("PRAGMA ignore_check_constraints = ON");
					try {
						db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = (SELECT min(rowid) FROM ${table})`).run(cell);
					} catch {
						// The column refuses it: the program could not have written it either.
					}
				});
				count(what, outcome);
				// One row's trouble leaves the other session whole.
				if (outcome.kind !== "imported" || !outcome.sessions.some((session) => /^(?:ses_|s)2$/.test(session))) {
					told["sessions lost"]++;
					broken.push(
						`${format.agent}, ${what}: the other session was lost. ${outcome.why ?? outcome.sessions.join()}`,
					);
				}
			}
		}
		tellCount(`rows of ${format.agent}`, told);
		assert.deepEqual(broken, []);
	});

	test(`${format.agent}: pages damaged behind the schema`, async () => {
		const told = { files: 0, imported: 0, refused: 0, broken: 0 };
		const whole = readFileSync(path);
		for (let n = 0; n < rounds(20); n++) {
			const damaged = Buffer.from(whole);
			const page = 4_096 * (1 + below(Math.floor(whole.length / 4_096) - 1));
			for (let at = page; at < page + 4_096; at += 1 + below(64)) damaged[at] = below(256);
			mkdirSync(dirname(copy), { recursive: true });
			writeFileSync(copy, damaged);
			const outcome = await read(copy);
			told.files++;
			told[outcome.kind]++;
			note(format, `page ${page / 4_096}`, outcome);
		}
		tellCount(`damaged pages of ${format.agent}`, told);
		assert.deepEqual(broken, []);
	});
}

/** One line of 12 MB, compared with the same text as 24 lines: a reader that copies what it has for each piece of a line takes many times as long. */
test("a line of 12 MB costs no more than its text in shorter lines", async () => {
	const told: Record<string, number> = {};
	for (const agent of ["claude-code", "codex", "pi"]) {
		const format = FORMATS.find((each) => each.agent === agent && !each.isOld);
		assert.ok(format);
		const words = Array.from({ length: 1_000_000 }, (_, n) => `getUser${n}`)
			.join(" ")
			.slice(0, 12_000_000);
		const cost = async (pieces: number): Promise<number> => {
			const began = processorMs();
			const bytes = words.length / pieces;
			for (let n = 0; n < pieces; n++) {
				const name = `long-${agent}-${pieces}-${n}`;
				const path = writeFormat(format, join(root, name), SCRIPT);
				writeFileSync(path, readFileSync(path, "utf8").replace("torn", words.slice(n * bytes, (n + 1) * bytes)));
				using log = new Log({ folder: join(root, `log-${name}`), origin: "here" });
				await importFile(path, { readers: READERS, logFor: () => importTarget(log) });
			}
			return processorMs() - began;
		};
		const shorter = await cost(24);
		told[`% of shorter lines, ${agent}`] = Math.round((100 * (await cost(1))) / shorter);
	}
	tellCount("a line of 12 MB", told);
	for (const [what, share] of Object.entries(told)) assert.ok(share < 400, `${what}: ${share}`);
});
