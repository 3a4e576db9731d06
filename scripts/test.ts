/**
 * `npm test`: the tests beside the code in two processes instead of one per file, which halves their time; then the tests that
 * start programs, each file in its own process. It runs one file of the tests with the real Pi; `npm run test:pi`
 * and `npm run test:pi:oldest` run all of them. `npm run test:more` (`--more`) runs the longest of the others.
 */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Each process loads most of the program, so they share compiled code. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL("../node_modules/.cache/weft-compile", import.meta.url));
const SEED = new URL("./seed.ts", import.meta.url).href;
const PI_TEST = "test/pi/woven.test.ts";
const LONGEST = new Set(
	[
		"cli/cache",
		"cli/context",
		"cli/frame",
		"cli/grep",
		"cli/history",
		"cli/look",
		"cli/prices",
		"cli/read-only",
		"cli/replay",
		"cli/state",
		"cli/thread",
		"cli/upkeep",
		"engine/seal-policy",
		"engine/thread-scenes",
		"fuzz/session",
		"guard/matrix",
		"history/coverage",
		"log/poison",
		"memory/scene",
		"openclaw/assemble",
		"openclaw/hundred-turns",
		"property/replay",
		"property/scope",
		"replay/ceiling",
		"state/fold-cut",
		"state/thread-cost",
	].map((name) => `test/${name}.test.ts`),
);
const isMore = process.argv.includes("--more");

const passed = await Promise.all(
	(isMore ? [] : [1, 2]).map((part) => test("--test-isolation=none", `--test-shard=${part}/2`, "src/**/*.test.ts")),
);
const files = globSync("test/**/*.test.ts")
	.map((path) => path.replaceAll("\\", "/"))
	.sort();
const chosen = isMore
	? files.filter((path) => LONGEST.has(path))
	: files.filter((path) => (path.startsWith("test/pi/") ? path === PI_TEST : !LONGEST.has(path)));
passed.push(await test("--test-concurrency=2", ...chosen));
process.exitCode = passed.every(Boolean) ? 0 : 1;

/** Prints a run's output in one piece. */
function test(...args: readonly string[]): Promise<boolean> {
	return new Promise((resolve) => {
		const child = spawn(process.execPath, ["--import", SEED, "--test", ...args], {
			stdio: ["ignore", "pipe", "inherit"],
			env: { ...process.env, NODE_COMPILE_CACHE },
		});
		const output: Buffer[] = [];
		child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
		child.on("close", (code) => process.stdout.write(Buffer.concat(output), () => resolve(code === 0)));
	});
}
