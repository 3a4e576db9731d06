import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { importTarget } from "../../src/agent/recorded/intake.ts";
import { sliceList } from "../../src/base/json/slice.ts";
import { TableFolds } from "../../src/log/fold/table-folds.ts";
import { Log } from "../../src/log/log.ts";
import { readUsage, usageFold } from "../../src/state/session/usage-fold.ts";
import { FORMATS, writeFormat } from "./formats.ts";
import { SCRIPT, START, sums } from "./script.ts";

const home = mkdtempSync(join(tmpdir(), "weft-older-"));
after(() => rmSync(home, { recursive: true, force: true }));
let folders = 0;
const newLog = () =>
	new Log({ folder: join(home, `log-${++folders}`), origin: "test", projection: () => new TableFolds([usageFold]) });
const written = (agent: string, isOld: boolean) => {
	const format = FORMATS.find((each) => each.agent === agent && (each.isOld ?? false) === isOld)!;
	return writeFormat(format, mkdtempSync(join(home, "written-")), SCRIPT);
};
const counted = (log: Log) => {
	log.foldMissing();
	const rows = [...readUsage(log)];
	return {
		messages: [...log.read({ types: ["Message"] })].length,
		input: rows.reduce((sum, { input }) => sum + input, 0),
		output: rows.reduce((sum, { output }) => sum + output, 0),
	};
};

test("opencode: a session in the old files and in the database that was filled from them counts once", async () => {
	const paths = [written("opencode", true), written("opencode", false)];
	using one = newLog();
	await importFile(paths[0]!, { readers: READERS, logFor: () => importTarget(one) });
	using both = newLog();
	for (const path of paths) await importFile(path, { readers: READERS, logFor: () => importTarget(both) });
	assert.deepEqual(counted(both), counted(one));
	const { input, output } = sums(SCRIPT);
	assert.deepEqual([counted(both).input, counted(both).output], [input, output]);
});

test("opencode: a session in an export and in the database counts once, and an export keeps its bytes", async () => {
	const path = writeFormat(FORMATS.find(({ isExport }) => isExport)!, mkdtempSync(join(home, "e-")), SCRIPT);
	const elements = sliceList(readFileSync(path, "utf8"), "messages")!.elements;
	using one = newLog();
	await importFile(path, { readers: READERS, logFor: () => importTarget(one) });
	const kept = [...one.read({ types: ["Entry"] })].map(({ seq }) => one.rawText(seq));
	assert.deepEqual(
		elements.filter((element) => !kept.includes(element)),
		[],
	);
	using both = newLog();
	for (const each of [path, written("opencode", false)])
		await importFile(each, { readers: READERS, logFor: () => importTarget(both) });
	assert.deepEqual(counted(both), counted(one));
	const { input, output } = sums(SCRIPT);
	assert.deepEqual([counted(both).input, counted(both).output], [input, output]);
});

test("opencode: thinking that a provider hid is kept as what the provider gave in its place", async () => {
	const path = join(mkdtempSync(join(home, "e-")), "hidden.json");
	const parts = [
		{ id: "prt_1", type: "reasoning", text: "", metadata: { anthropic: { redactedData: "b3BhcXVl" } } },
		{ id: "prt_2", type: "reasoning", text: "", metadata: { anthropic: { signature: "c2lnbmVk" } } },
		{ id: "prt_3", type: "text", text: "Done." },
	];
	const completed = { id: "msg_1", role: "assistant", time: { created: START, completed: START } };
	const info = { id: "ses_3", directory: "/home/mill/loom", time: { created: START } };
	writeFileSync(path, JSON.stringify({ info, messages: [{ info: completed, parts }] }));
	using log = newLog();
	await importFile(path, { readers: READERS, logFor: () => importTarget(log) });
	const [message] = [...log.read({ types: ["Message"] })];
	assert.deepEqual((message?.payload["raw"] as { readonly content?: unknown } | undefined)?.content, [
		{ type: "thinking", thinking: "", thinkingSignature: "b3BhcXVl", redacted: true },
		{ type: "thinking", thinking: "", thinkingSignature: "c2lnbmVk" },
		{ type: "text", text: "Done." },
	]);
});

test("opencode: an export of a sub-agent belongs to its parent, and a half message is left out", async () => {
	const path = join(mkdtempSync(join(home, "e-")), "child.json");
	const message = (id: string, role: string, done: boolean) => ({
		info: { id, role, time: { created: START, ...(done && { completed: START }) } },
		parts: [{ id: `prt_${id}`, type: "text", text: id }],
	});
	const info = { id: "ses_2", parentID: "ses_1", directory: "/home/mill/loom", time: { created: START } };
	const messages = [message("msg_1", "user", true), message("msg_2", "assistant", false)];
	writeFileSync(path, JSON.stringify({ info, messages }, null, 2));
	using log = newLog();
	const { sessions } = await importFile(path, { readers: READERS, logFor: () => importTarget(log) });
	assert.deepEqual(
		sessions.map(({ session }) => session),
		["ses_1/ses_2"],
	);
	assert.equal(counted(log).messages, 1);
});

test("opencode: a sub-agent in the old files stands under the session that it works for", async () => {
	const path = join(dirname(written("opencode", true)), "ses_2.json");
	const session = { id: "ses_2", parentID: "ses_1", directory: "/home/mill/loom", version: "0.15.0" };
	writeFileSync(path, JSON.stringify({ ...session, time: { created: START, updated: START } }));
	const message = { id: "msg_x", role: "user", time: { created: START } };
	const storage = join(dirname(path), "..", "..");
	for (const [folder, value] of [
		["message/ses_2", message],
		["part/msg_x", { id: "prt_x", type: "text", text: "Count the threads" }],
	] as const) {
		mkdirSync(join(storage, folder), { recursive: true });
		writeFileSync(join(storage, folder, `${value.id}.json`), JSON.stringify(value));
	}
	using log = newLog();
	const { sessions } = await importFile(path, { readers: READERS, logFor: () => importTarget(log) });
	assert.deepEqual(
		sessions.map(({ session, messages }) => [session, messages]),
		[["ses_1/ses_2", 1]],
	);
	// What a program asks of it is not a request of the user.
	assert.deepEqual([...log.read({ types: ["UserIntent"] })], []);
});

test("opencode: the whole of an output that was cut is kept, from the file beside the database", async () => {
	const path = written("opencode", false);
	const db = new DatabaseSync(path);
	const [part] = db.prepare(`SELECT id, data FROM part WHERE data LIKE '%"bash"%' ORDER BY id LIMIT 1`).all();
	const data = JSON.parse(String(part!["data"])) as { state: Record<string, unknown> };
	const metadata = { exit: 3, truncated: true, outputPath: "/another/machine/tool-output/tool_1" };
	Object.assign(data.state, { metadata, output: "...output truncated...\n\nthe end" });
	db.prepare("UPDATE part SET data = ? WHERE id = ?").run(JSON.stringify(data), part!["id"]!);
	db.close();
	mkdirSync(join(dirname(path), "tool-output"));
	const whole = `${"a long beginning\n".repeat(5_000)}the end`;
	writeFileSync(join(dirname(path), "tool-output", "tool_1"), whole);
	using log = newLog();
	await importFile(path, { readers: READERS, logFor: () => importTarget(log) });
	const blobs = [...log.read({ types: ["Message"] })].flatMap(({ payload }) => payload["blob"] ?? []) as string[];
	assert.deepEqual(
		blobs.map((blob) => Buffer.from(log.getBlob(blob)!).toString("utf8")),
		[whole],
	);
});

test("Gemini CLI: an old session that was resumed stands in two files and counts once", async () => {
	const old = written("gemini-cli", true);
	const sessionId = "cccccccc-1111-2222-3333-444444444444";
	const lines = FORMATS.find(({ agent, isOld }) => agent === "gemini-cli" && !isOld)!.lines!(SCRIPT);
	const resumed = `${old}l`;
	writeFileSync(
		resumed,
		lines.map((line, at) => `${JSON.stringify(at === 0 ? { ...line, sessionId } : line)}\n`).join(""),
	);
	using one = newLog();
	await importFile(resumed, { readers: READERS, logFor: () => importTarget(one) });
	using both = newLog();
	for (const path of [old, resumed]) await importFile(path, { readers: READERS, logFor: () => importTarget(both) });
	assert.deepEqual(counted(both), counted(one));
	assert.deepEqual(new Set([...both.read()].map(({ session }) => session)), new Set([sessionId]));
});

test("opencode: a database that its program holds locked is said to be so, not damaged", async () => {
	const path = written("opencode", false);
	const db = new DatabaseSync(path);
	db.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
	using log = newLog();
	await assert.rejects(importFile(path, { readers: READERS, logFor: () => importTarget(log) }), {
		code: "locked",
		message: /import it again/,
	});
	db.close();
});
