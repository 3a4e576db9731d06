/** Lines of a session file that are no entries: they are kept as they are, and come back. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { readRecords } from "../../src/agent/recorded/session-store.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { sessionEntries } from "../../src/view/export.ts";
import { recover, renderRecovery } from "../../src/view/repair.ts";
import { line, PiLines } from "../replay/rig.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";

test("a line that cannot be read and one that stands there twice come back from a Pi session, at their place", async (t) => {
	const session = new PiLines();
	session.user("Count the parcels.");
	session.answer([{ type: "text", text: "Three." }]);
	const [header, asked, answered] = session.lines.map((each) => JSON.stringify(each));
	const given = [header!, asked!, '{"cut off', asked!, "not JSON at all, with ünïcode", answered!, header!];
	const { engine, file } = await imported(t, given.join("\n"));
	assert.deepEqual([...sessionEntries(engine.log, "s1")], given);
	const { missing, foreign, lines } = await recovered(engine, file);
	assert.deepEqual([missing, foreign, lines], [[], 4, 7]);
	// Again, and with more after it: only what is new is added.
	const before = engine.log.count();
	await bring(engine, file);
	assert.equal(engine.log.count(), before);
	writeFileSync(file, `${readFileSync(file, "utf8")}\nmore of it\n`);
	await bring(engine, file);
	assert.deepEqual([...sessionEntries(engine.log, "s1")], [...given, "more of it"]);
});

test("the repeated lines of a Claude Code session come back too, and the session goes on from its last entry", async (t) => {
	const summary = { type: "summary", summary: "Parcels", leafUuid: "u1" };
	const given = [
		JSON.stringify(line("u1", null, { role: "user", content: "Count the parcels." })),
		JSON.stringify(summary),
		JSON.stringify(summary),
		"garbage",
	];
	const { engine, file } = await imported(t, `${given.join("\n")}\n`);
	assert.deepEqual([...sessionEntries(engine.log, "c1")], given);
	assert.deepEqual((await recovered(engine, file)).missing, []);
	const { tree } = engine.history;
	tree.catchUp();
	assert.notEqual(tree.tip({ session: "c1", host: "claude-code" }), undefined);
	assert.deepEqual([...engine.log.read({ types: ["Fault"] })], []);
});

test("bytes that are not UTF-8 come back as they were, in an entry, in a line that is none, and beside a readable one", async (t) => {
	const session = new PiLines();
	session.user("the umlaut # in Latin-1");
	session.answer([{ type: "text", text: "Read." }]);
	const [header, asked, answered] = session.lines.map((each) => Buffer.from(JSON.stringify(each)));
	asked![asked!.indexOf("#")] = 0xfc;
	const given = [header!, asked!, Buffer.from([0xff, 0xfe]), answered!, asked!];
	const { engine, file } = await imported(t, Buffer.concat(given.flatMap((each) => [each, Buffer.from("\r\n")])));
	const out = [...sessionEntries(engine.log, "s1")].map((each) => Buffer.from(each));
	assert.deepEqual(out, given);
	const { missing, foreign, lines, messages } = await recovered(engine, file);
	assert.deepEqual([missing, foreign, lines, messages], [[], 3, 5, 2]);
	// The message itself is read with a stand-in.
	assert.match(engine.log.search.find({ text: "umlaut" }).hits[0]!.snippet, /umlaut \ufffd in Latin-1/);
	const before = engine.log.count();
	await bring(engine, file);
	assert.equal(engine.log.count(), before);
	// Another byte in a line that is else the same is told by recover.
	const other = Buffer.from(asked!);
	other[other.indexOf(0xfc)] = 0xe4;
	writeFileSync(file, Buffer.concat([header!, Buffer.from("\n"), other, Buffer.from("\n")]));
	assert.notDeepEqual((await recovered(engine, file)).missing, []);
});

test("a last line that is not complete is told as such, not as lost", async (t) => {
	const session = new PiLines();
	session.user("Count the parcels.");
	const [header, asked] = session.lines.map((each) => JSON.stringify(each));
	const { engine, file } = await imported(t, `${header}\n${asked}\n{"type":"message","mess`);
	const recovery = await recovered(engine, file);
	assert.deepEqual([recovery.missing, recovery.lines, recovery.halfLine], [[], 2, 3]);
	assert.deepEqual([...renderRecovery(recovery)].slice(1), [
		"Line 3, the last one, is incomplete: its program may still be writing it. weft imports it when it is complete.",
		"All of 2 lines came back, byte for byte.",
	]);
});

async function imported(t: TestContext, content: string | Buffer): Promise<{ engine: Engine; file: string }> {
	const folder = temporaryFolder();
	const engine = openEngine({ cwd: folder, home: folder, host: "test", env: {}, trusted: false });
	t.after(() => engine.close());
	const file = join(folder, "session.jsonl");
	writeFileSync(file, content);
	await bring(engine, file);
	return { engine, file };
}

async function bring({ log }: Engine, file: string): Promise<void> {
	await importFile(file, { readers: READERS, logFor: () => log });
}

async function recovered({ log }: Engine, file: string) {
	return recover(log, { lines: readRecords(file, READERS) });
}
