/** weft as a package: what Pi loads is a bundle, which has to do all that the sources do. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { installWeft } from "../rig/installed.ts";
import { runPi } from "../rig/pi.ts";
import { makePiWorkspace } from "../rig/workspace.ts";
import { readLog } from "./log.ts";
import { allText } from "./wire.ts";

const SKILL = `---
name: tides
description: Knows the tides.
hooks:
  before_prompt: ["echo high water at noon"]
  after_response: ["echo $WEFT_HOOK $WEFT_SKILL >> hooks.txt"]
---
Look at the moon.
`;

let folder: string;
let extension: string;
before(async () => {
	folder = mkdtempSync(join(tmpdir(), "weft-installed-"));
	extension = await installWeft(folder);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("an installed weft says nothing on stderr and writes every request down", async () => {
	using workspace = makePiWorkspace({ files: { "a.txt": "one\n" } });
	const script = [{ toolCalls: [{ id: "r1", name: "read", args: { path: "a.txt" } }] }, { text: "One." }];
	const run = await runPi({ workspace, extensions: [extension], script, prompts: ["What is in a.txt?"] });
	assert.deepEqual([run.code, run.stderr, run.stdout.trim()], [0, "", "One."]);
	assert.equal(readLog(workspace, { types: ["Request"] }).length, 2);
	assert.deepEqual(readLog(workspace, { types: ["Fault"] }), []);
});

test("the hooks of an active skill run in a trusted project, and what they say reaches the model", async () => {
	using workspace = makePiWorkspace({ files: { ".pi/skills/tides/SKILL.md": SKILL } });
	const script = [{ text: "At noon." }];
	const prompts = ["/skill:tides When can we sail?"];
	const run = await runPi({ workspace, extensions: [extension], script, prompts, args: ["--approve"] });
	assert.equal(run.stderr, "");
	assert.match(allText(run.requests[0]!), /high water at noon/);
	assert.equal(readFileSync(join(workspace.project, "hooks.txt"), "utf8"), "after_response tides\n");
});

test("they do not run where the project is not trusted, and that is told", async () => {
	using workspace = makePiWorkspace({ files: { ".pi/skills/tides/SKILL.md": SKILL } });
	const prompts = ["/skill:tides When can we sail?"];
	const run = await runPi({ workspace, extensions: [extension], script: [{ text: "Later." }], prompts });
	assert.match(run.stderr, /the hooks of the skill tides do not run: this project is not trusted/);
	assert.doesNotMatch(allText(run.requests[0]!), /high water at noon/);
});

const READS = Array.from({ length: 6 }, (_, n) => ({
	toolCalls: [{ id: `r${n}`, name: "read", args: { path: "a.txt" } }],
}));

/** A session with some requests; what it said, and the files of compiled code that are there afterwards. */
async function longSession(env: Record<string, string> = {}) {
	using workspace = makePiWorkspace({ files: { "a.txt": "one\n" } });
	const script = [...READS, { text: "One." }];
	const run = await runPi({ workspace, extensions: [extension], script, prompts: ["What is in a.txt?"], env });
	const built = join(folder, "node_modules", "weft-context", "dist", "pi");
	const names = readdirSync(built).filter((name) => name.endsWith(".code"));
	const kept = names.map((name) => ({ path: join(built, name), ino: statSync(join(built, name)).ino }));
	return { said: [run.code, run.stderr, run.stdout.trim(), run.requests.length], kept };
}

test("the code that ran in the longest session yet is kept beside the bundle, and the next session says the same", async () => {
	const first = await longSession();
	assert.equal(first.kept.length, 1);
	assert.deepEqual(await longSession(), first);
});

test("a weft that is turned off keeps no code", async () => {
	const { kept, said } = await longSession();
	for (const { path } of kept) rmSync(path);
	assert.deepEqual(await longSession({ WEFT_ENABLED: "false" }), { said, kept: [] });
});
