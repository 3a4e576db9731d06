import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { restoreArchive } from "../../src/log/retention/restore.ts";
import { writeSetting } from "../../src/settings/sources.ts";
import { Context } from "../../src/show/cli/context.ts";
import { runCommand } from "../../src/show/cli/frame.ts";
import type { GlobalOptions } from "../../src/show/cli/options.ts";
import { Output } from "../../src/show/cli/output.ts";
import { Sink } from "./sink.ts";

const skip = process.platform === "win32";
let folder: string;
let clone: string;
let pipe: string;
let zero: string;

beforeEach(() => {
	folder = realpathSync(mkdtempSync(join(tmpdir(), "weft-odd-")));
	clone = join(folder, "clone");
	mkdirSync(join(clone, ".git"), { recursive: true });
	mkdirSync(join(clone, ".weft"));
	mkdirSync(join(clone, ".pi", "warp-engine"), { recursive: true });
	pipe = join(clone, "pipe.jsonl");
	zero = join(clone, "zero.jsonl");
	execFileSync("mkfifo", [pipe]);
	symlinkSync("/dev/zero", zero);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function at(options: GlobalOptions = {}, sink = new Sink()) {
	const out = new Output({ json: options.json ?? true, color: false }, sink.stream, new Sink().stream);
	return new Context(options, { env: { HOME: folder, WEFT_HOME: join(folder, "home") }, cwd: clone, out });
}

test("a pipe or a device in place of the settings is said, and nothing waits for it", { skip }, () => {
	execFileSync("mkfifo", [join(clone, ".weft", "config.json")]);
	symlinkSync("/dev/zero", join(clone, ".pi", "warp-engine", "config.json"));
	assert.equal(at().readSettings().ignored.length, 2);
	assert.deepEqual(
		at({ trust: true })
			.readSettings()
			.problems.map(({ message }) => message.replace(clone, "")),
		[
			"/.weft/config.json: it is a pipe. Correct it, or remove it.",
			"/.pi/warp-engine/config.json: it is a device. Correct it, or remove it.",
		],
	);
	mkdirSync(join(folder, ".config", "weft"), { recursive: true });
	symlinkSync("/dev/zero", join(folder, ".config", "weft", "config.json"));
	assert.throws(() => writeSetting({ HOME: folder }, "mode", "off"), /is not a JSON object/);
});

test("sessions and archives that are pipes or devices are refused by name", { skip }, async () => {
	for (const [path, what] of [
		[pipe, "a pipe"],
		[zero, "a device"],
	] as const) {
		const refused = { code: "unknown-format", message: `${path} is ${what}, not a file. It was not read.` };
		await assert.rejects(runCommand("import", at(), [path], {}), refused);
		await assert.rejects(runCommand("recover", at(), [path], {}), refused);
		await assert.rejects(runCommand("replay", at(), [path], {}), refused);
		const engine = at().openForWriting();
		await assert.rejects(restoreArchive(engine.log, path), refused);
		engine.close();
	}
	await assert.rejects(runCommand("import", at(), [clone], {}), { code: "not-found", message: /no session files/ });
});

/** A session in Pi's format, whose tool call has arguments of this many levels. */
function deepSession(levels: number): { readonly file: string; readonly call: string } {
	const deep = `{"command":"ls","deep":${"[".repeat(levels)}${"]".repeat(levels)}}`;
	const entry = (id: string, parent: string | null, message: string) =>
		`{"type":"message","id":"${id}","parentId":${JSON.stringify(parent)},"timestamp":"2026-01-05T10:00:01.000Z","message":${message}}`;
	const call = `{"type":"toolCall","id":"c1","name":"bash","arguments":${deep}}`;
	const lines = [
		JSON.stringify({ type: "session", version: 3, id: "deep", timestamp: "2026-01-05T10:00:00.000Z", cwd: clone }),
		entry("e1", null, '{"role":"user","content":"hi"}'),
		entry("e2", "e1", `{"role":"assistant","content":[${call}],"provider":"p","model":"m","stopReason":"toolUse"}`),
		entry(
			"e3",
			"e2",
			'{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"ok"}]}',
		),
	];
	const file = join(folder, "deep.jsonl");
	writeFileSync(file, `${lines.join("\n")}\n`);
	return { file, call };
}

test("JSON deeper than the system can write is shown", async () => {
	const { file, call } = deepSession(30_000);
	await runCommand("import", at(), [file], {});
	for (const [json, look] of [
		[true, (context: Context) => runCommand("show", context, ["4"], {})],
		[false, (context: Context) => runCommand("show", context, ["4"], {})],
		[true, (context: Context) => runCommand("context", context, [], {})],
		[false, (context: Context) => runCommand("context", context, [], { format: "md" })],
		[false, (context: Context) => runCommand("export", context, [], { format: "md" })],
	] as const) {
		const sink = new Sink();
		await look(at({ json }, sink));
		const shown = sink.text.replaceAll(/\s/g, "");
		assert.ok(!json || shown.includes(call), "all of it");
		assert.match(shown, /bash/);
	}
});

test("replay skips a file that it cannot read, says so, and exits 1", async () => {
	const { file } = deepSession(10);
	const [bad, gone] = [join(folder, "bad.jsonl"), join(folder, "gone.jsonl")];
	writeFileSync(bad, "no session\n");
	const sink = new Sink();
	assert.equal(await runCommand("replay", at({}, sink), [bad, file, gone], { mode: "woven" }), 1);
	const { failed, sessions } = JSON.parse(sink.text) as { failed: { file: string }[]; sessions: { file: string }[] };
	assert.deepEqual(
		[failed, sessions].map((list) => list.map((each) => each.file)),
		[[bad, gone], [file]],
	);
	await assert.rejects(runCommand("replay", at(), [bad, gone], { mode: "woven" }), { code: "not-found" });
});

test("a full disk is said in a sentence", { skip: process.platform !== "linux" }, async () => {
	const { file } = deepSession(10);
	const message = "No space left for /dev/full. It was not written. Free some space and try again.";
	await assert.rejects(runCommand("replay", at(), [file], { dump: "/dev/full", mode: "woven" }), {
		code: "disk-full",
		message,
	});
});

test("a project whose folder is gone is still asked by its name, if it has a log", { skip }, () => {
	const gone = join(folder, "gone");
	mkdirSync(gone);
	const made = at({ project: gone }).openForWriting();
	made.record([{ type: "Custom", payload: { name: "kept" } }]);
	made.close();
	rmSync(gone, { recursive: true });
	const engine = at({ project: gone }).openExisting();
	assert.equal(engine.log.count(), 1);
	engine.close();
	assert.throws(() => at({ project: join(folder, "never") }), /no such folder/);
});
