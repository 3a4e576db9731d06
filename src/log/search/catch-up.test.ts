import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { databaseOf } from "../database.ts";
import type { EventRecord, NewEvent } from "../event/types.ts";
import { Log } from "../log.ts";
import type { LogOptions, SearchDoc } from "../types.ts";

const root = temporaryFolder();

let folders = 0;
const newFolder = () => join(root, `${++folders}`);

function openLog(options: Partial<LogOptions> = {}): Log {
	return new Log({ folder: newFolder(), origin: "here", searchable, ...options });
}

function searchable(record: EventRecord): SearchDoc | undefined {
	const text = record.payload["data"];
	return typeof text === "string" ? { role: "user", text } : undefined;
}

function note(data: unknown): NewEvent {
	return { type: "Custom", session: "s", host: "test", ts: 0, payload: { name: "n", data } };
}

const notes = (count: number, text = "needle") => Array.from({ length: count }, (_, n) => note(`${text} ${n}`));

/** Everything that the index knows, row by row. */
function contents(log: Log): unknown[] {
	const rows: unknown[] = databaseOf(log).prepare("SELECT * FROM search_doc ORDER BY id").all();
	for (const table of ["search_words", "search_grams"]) {
		const vocabulary = `temp.${table}_terms`;
		databaseOf(log).exec(`CREATE VIRTUAL TABLE ${vocabulary} USING fts5vocab('main', '${table}', 'instance')`);
		rows.push(...databaseOf(log).prepare(`SELECT * FROM ${vocabulary} ORDER BY term, doc, col, "offset"`).all());
		databaseOf(log).exec(`DROP TABLE ${vocabulary}`);
	}
	return rows;
}

test("every search first indexes what is missing", () => {
	using log = openLog();
	assert.deepEqual(log.search.find({ text: "needle" }).hits, []);
	log.append([note("first needle")]);
	assert.equal(log.search.find({ text: "needle" }).hits.length, 1);
	log.append([note("second needle"), note(7)]);
	assert.equal(log.search.find({ text: "needle" }).hits.length, 2);
	assert.deepEqual(log.search.stats(), { docs: 2, indexedSeq: 3, behind: 0, fullText: true });
});

test("the checkpoint passes events that have no text, and stays when there is nothing new", () => {
	using log = openLog();
	log.append(Array.from({ length: 300 }, (_, n) => note(n)));
	assert.deepEqual(log.search.catchUp(), { indexed: 0, left: 0 });
	assert.deepEqual(log.search.stats(), { docs: 0, indexedSeq: 300, behind: 0, fullText: true });
	const changes = databaseOf(log).prepare("SELECT total_changes() AS n").get()!["n"];
	log.search.catchUp();
	assert.equal(databaseOf(log).prepare("SELECT total_changes() AS n").get()!["n"], changes);
});

test("a deadline leaves the rest for the next time, and says how much", () => {
	using log = openLog();
	log.append(notes(500));
	const first = log.search.catchUp({ deadlineMs: -1, chars: 1_000 });
	assert.ok(first.indexed > 0 && first.left > 0);
	assert.equal(first.indexed + first.left, 500);
	assert.deepEqual(log.search.catchUp(), { indexed: first.left, left: 0 });
	assert.deepEqual(log.search.check(), []);
});

test("a rebuild equals what was indexed live, in steps of any size", () => {
	using log = openLog();
	for (let n = 0; n < 40; n++) {
		log.append([note(`getUserById ${n}`), note(n), note(`迁移脚本 🔥 ${"word ".repeat(n)}`)]);
		if (n % 3 === 0) log.search.catchUp({ chars: 10 });
	}
	log.search.catchUp();
	const live = contents(log);
	assert.ok(live.length > 500);
	assert.deepEqual(log.search.rebuild(), { indexed: 80, left: 0 });
	assert.deepEqual(contents(log), live);
	log.search.drop();
	assert.equal(log.search.find({ text: "getUser" }).hits.length, 20);
	assert.deepEqual(contents(log), live);
});

test("an index of another format is made anew", () => {
	const folder = newFolder();
	{
		using log = openLog({ folder });
		log.append(notes(3));
		log.search.catchUp();
		databaseOf(log).exec("UPDATE search_state SET format = 0; DELETE FROM search_doc");
	}
	using log = openLog({ folder });
	assert.equal(log.search.find({ text: "needle" }).hits.length, 3);
	assert.deepEqual(log.search.check(), []);
});

test("a read-only log is searched as far as it is indexed, and says how far; without an index its texts are read", async () => {
	const folder = newFolder();
	{
		using log = openLog({ folder });
		log.append(notes(3));
	}
	{
		using log = openLog({ folder, readOnly: true });
		assert.equal(log.search.find({ text: "needle" }).hits.length, 3);
		assert.equal(log.search.stats().fullText, false);
	}
	{
		using log = openLog({ folder });
		log.search.catchUp();
		log.append(notes(2));
	}
	using log = openLog({ folder, readOnly: true });
	const { hits, behind, complete } = log.search.find({ text: "needle" });
	assert.deepEqual([hits.length, behind, complete], [3, 2, false]);
	const byPattern = await log.search.findRegex({ pattern: "ne+dle" });
	assert.deepEqual([byPattern.hits.length, byPattern.behind, byPattern.complete], [3, 2, false]);
	assert.deepEqual(log.search.check(), []);
});

test("check tells when the index does not agree with the log", () => {
	using log = openLog();
	log.append(notes(3));
	log.search.catchUp();
	assert.deepEqual(log.search.check(), []);
	databaseOf(log).exec("DELETE FROM search_doc WHERE id = 2");
	assert.match(log.search.check().join(), /does not agree/);
	log.search.rebuild();
	assert.deepEqual(log.search.check(), []);
	databaseOf(log).enableDefensive(false);
	databaseOf(log).exec("UPDATE search_words_data SET block = x'00' WHERE id > 10");
	assert.match(log.search.check().join(), /damaged \(search_words/);
	log.search.rebuild();
	assert.deepEqual(log.search.check(), []);
});

test("several processes may index at once, while another appends: each document once", async () => {
	const folder = newFolder();
	using log = openLog({ folder });
	log.append(notes(200));
	const child = `
		const { Log } = await import(${JSON.stringify(new URL("../log.ts", import.meta.url).href)});
		const searchable = (record) => ({ role: "user", text: record.payload.data });
		using log = new Log({ folder: ${JSON.stringify(folder)}, origin: "there", searchable });
		let indexed = 0;
		for (let n = 0; n < 200 || log.search.stats().docs < 400; n++) indexed += log.search.catchUp({ chars: 50 }).indexed;
		console.log(indexed);
	`;
	const children = Array.from({ length: 3 }, () =>
		spawn(process.execPath, ["--input-type=module", "-e", child], { stdio: ["ignore", "pipe", "inherit"] }),
	);
	const outputs = children.map(async ({ stdout }) => {
		let text = "";
		for await (const chunk of stdout) text += chunk;
		return Number(text);
	});
	const ends = children.map((process) => once(process, "exit"));
	for (let n = 0; n < 200; n++) {
		log.append(notes(1, "late"));
		await new Promise((resolve) => setTimeout(resolve, 1));
	}
	for (const [code] of await Promise.all(ends)) assert.equal(code, 0);
	const indexed = await Promise.all(outputs);
	assert.equal(
		indexed.reduce((sum, n) => sum + n, 0),
		400,
	);
	assert.deepEqual(log.search.stats(), { docs: 400, indexedSeq: 400, behind: 0, fullText: true });
	assert.deepEqual(log.search.check(), []);
	assert.equal(log.search.find({ text: "late", limit: 500 }).hits.length, 200);
});
