import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { run as importRun } from "../../src/cli/commands/import.ts";
import { run as recover } from "../../src/cli/commands/recover.ts";
import { run as replay } from "../../src/cli/commands/replay.ts";
import { Context, type GlobalOptions } from "../../src/cli/context.ts";
import { Output } from "../../src/cli/output.ts";
import { restoreArchive } from "../../src/log/restore.ts";
import { writeSetting } from "../../src/settings/write.ts";
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

function at(options: GlobalOptions = {}) {
	const out = new Output({ json: true, color: false }, new Sink().stream, new Sink().stream);
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
		await assert.rejects(importRun(at(), [path]), refused);
		await assert.rejects(recover(at(), [path], {}), refused);
		await assert.rejects(replay(at(), [path], {}), refused);
		const engine = at().openForWriting();
		await assert.rejects(restoreArchive(engine.log, path), refused);
		engine.close();
	}
	await assert.rejects(importRun(at(), [clone]), { code: "not-found", message: /no session files/ });
});
