/**
 * The README's test command: the tests beside the code in two processes, without one for each file, which saves half of
 * their time; then the tests that start programs, each file in a process of its own. Of those in the real Pi it runs a
 * part; `npm run test:pi` and `npm run test:pi:oldest` run all of them. The longest of the others are left to
 * `npm run test:more`, which is this with `--more`.
 */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Every file is a process of its own that loads most of the program: what one has compiled, the next one takes. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL("../node_modules/.cache/weft-compile", import.meta.url));
const SEED = new URL("./seed.ts", import.meta.url).href;
const PI_TESTS = new Set(["guard", "record", "woven"].map((name) => `test/pi/${name}.test.ts`));
const LONGEST = new Set(
	[
		"cli/cache",
		"cli/context",
		"cli/grep",
		"cli/history",
		"cli/look",
		"cli/read-only",
		"cli/replay",
		"cli/state",
		"cli/upkeep",
		"fuzz/session",
		"history/coverage",
		"openclaw/hundred-turns",
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
	: files.filter((path) => (path.startsWith("test/pi/") ? PI_TESTS.has(path) : !LONGEST.has(path)));
passed.push(await test("--test-concurrency=2", ...chosen));
process.exitCode = passed.every(Boolean) ? 0 : 1;

/** What a run prints stays together. */
function test(...args: readonly string[]): Promise<boolean> {
	return new Promise((resolve) => {
		const child = spawn(process.execPath, ["--import", SEED, "--test", ...args], {
			stdio: ["ignore", "pipe", "inherit"],
			env: { ...process.env, NODE_COMPILE_CACHE },
		});
		const said: Buffer[] = [];
		child.stdout.on("data", (chunk: Buffer) => said.push(chunk));
		child.on("close", (code) => process.stdout.write(Buffer.concat(said), () => resolve(code === 0)));
	});
}
