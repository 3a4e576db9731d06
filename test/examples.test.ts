import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "..");
const ROOT_URL = pathToFileURL(ROOT).href;
const INDEX = pathToFileURL(join(ROOT, "src", "index.ts")).href;

test("the examples import what the package has, and nothing of the checkout", () => {
	const imported = globSync("examples/*.ts", { cwd: ROOT }).flatMap((name) =>
		[...readFileSync(join(ROOT, name), "utf8").matchAll(/ from "([^"]+)"/g)].map(([, module]) => module!),
	);
	assert.ok(imported.includes("weft-context"));
	assert.deepEqual(
		imported.filter((module) => module !== "weft-context" && !module.startsWith("node:")),
		[],
	);
});

test("examples/plain-code.ts runs for longer than the window and gets everything back", async (t) => {
	assert.deepEqual(await runExample("plain-code.ts", t), [
		"30 requests, the largest of less than three quarters of the window",
		"the system prompt: You add up weights. Be brief.",
		"sealed on the way",
		"m-eb51ec1eb293 begins: Part 1 weighs 11 grams.",
		"the next request would open with seed:header: says what the text is, and of which project",
	]);
});

test("examples/context-engine.ts is a host of OpenClaw's contract", async (t) => {
	assert.deepEqual(await runExample("context-engine.ts", t), [
		"80 messages in the transcript",
		"the largest request was within the budget",
		"the last one opened with a seed",
		"compacted by hand: smaller",
	]);
});

test("the example of docs/openclaw-engine.md runs as written", async (t) => {
	assert.deepEqual(await runPage("openclaw-engine.md", t), ["1 assembled", "committed duplicate"]);
});

test("the first lines of docs/getting-started.md run as written", async (t) => {
	assert.deepEqual(await runPage("getting-started.md", t), [""]);
});

test("the test of docs/testing.md passes as written", async (t) => {
	const [code = ""] = codeOf("testing.md");
	const folder = emptyFolder(t);
	const file = join(folder, "page.test.ts");
	writeFileSync(file, `import { test } from "node:test";\n${code.replaceAll("../../test/", `${ROOT_URL}/test/`)}`);
	const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", file], { cwd: folder, env: {} });
	assert.match(stdout, /^# pass 1$|^ℹ pass 1$/m);
});

test("the program of docs/library.md runs as written", async (t) => {
	assert.deepEqual(await runPage("library.md", t), [
		"greet.txt has not been read in this session. Nothing was written. Read it first, then make the change again.",
		"pass",
		"0 true true",
		"2",
		"woven 3 true",
		"user nothing has left yet",
		"assistant nothing has left yet",
		"toolResult nothing has left yet",
		"3 You write texts.",
		"nothing left",
		"false",
		"m- true",
	]);
});

/** All blocks of a page that are marked as TypeScript, one after the other, as one program. */
async function runPage(name: string, t: TestContext): Promise<string[]> {
	return runCopy(codeOf(name).join(""), t);
}

function codeOf(name: string): string[] {
	const page = readFileSync(join(ROOT, "docs", name), "utf8");
	return [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block!);
}

async function runExample(name: string, t: TestContext): Promise<string[]> {
	return runCopy(readFileSync(join(ROOT, "examples", name), "utf8"), t);
}

/** Runs the code in a folder of its own, where `weft-context` is this checkout's source. */
async function runCopy(code: string, t: TestContext): Promise<string[]> {
	const folder = emptyFolder(t);
	assert.ok(code.includes('from "weft-context"'));
	writeFileSync(join(folder, "example.ts"), code.replaceAll('"weft-context"', JSON.stringify(INDEX)));
	const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--no-warnings", "example.ts"], {
		cwd: folder,
		env: { HOME: folder, PATH: process.env["PATH"] },
	});
	assert.equal(stderr, "");
	return stdout.trim().split("\n");
}

function emptyFolder(t: TestContext): string {
	const folder = mkdtempSync(join(tmpdir(), "weft-docs-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}
