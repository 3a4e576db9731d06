import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "..");
const INDEX = pathToFileURL(join(ROOT, "src", "index.ts")).href;

const run = async (file: string, cwd: string): Promise<string[]> => {
	const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--no-warnings", file], { cwd });
	assert.equal(stderr, "");
	return stdout.trim().split("\n");
};

test("examples/plain-code.ts runs for longer than the window and gets everything back", async () => {
	assert.deepEqual(await run(join(ROOT, "examples", "plain-code.ts"), ROOT), [
		"30 requests, the largest of less than half the window",
		"the system prompt: You add up weights. Be brief.",
		"sealed on the way",
		"m-eb51ec1eb293 begins: Part 1 weighs 11 grams.",
		"the next request would open with seed:header: frozen at the seal (ceiling): many messages left with it",
	]);
});

test("examples/context-engine.ts is a host of OpenClaw's contract", async () => {
	assert.deepEqual(await run(join(ROOT, "examples", "context-engine.ts"), ROOT), [
		"80 messages in the transcript",
		"the largest request was within the budget",
		"the last one opened with a seed",
		"compacted by hand: smaller",
	]);
});

test("the example of docs/openclaw.md runs as it stands there", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "weft-docs-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const page = readFileSync(join(ROOT, "docs", "openclaw.md"), "utf8");
	const code = page.match(/```ts\n([\s\S]*?)```/)?.[1] ?? "";
	assert.ok(code.includes('from "weft-context"'));
	writeFileSync(join(folder, "example.ts"), code.replace('"weft-context"', JSON.stringify(INDEX)));
	assert.deepEqual(await run("example.ts", folder), ["1 assembled", "committed duplicate"]);
});
