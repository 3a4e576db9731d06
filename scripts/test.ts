/**
 * Runs one suite: `npm test` (no name) runs the tests beside the code in two processes instead of one per file, which halves
 * their time, then the tests that start programs, each file in its own process, with one file of the tests with the real Pi.
 * `more` runs the longest of the others; SUITES has the suites with real programs.
 *
 * With `--again`, which CI uses, files with a failed test run once more, alone. A file that then passes does not fail the run,
 * and a last line names it as flaky: repair it.
 *
 * `--random`, or `--random=SEED` to repeat a run, shuffles files and tests and gives property tests new cases. It finds tests
 * that depend on one another.
 */
import { spawn } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Each process loads most of the program, so they share compiled code. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL("../node_modules/.cache/weft-compile", import.meta.url));
const SEED = new URL("./seed.ts", import.meta.url).href;
const FAILED_FILES = new URL("./failed-files.ts", import.meta.url).href;
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
		"guard/random-commands",
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
/** The newest Pi that weft is tested with; without it the tests run the dev dependency, the oldest. */
const NEWEST_PI = "node_modules/.cache/pi-1.5.0/dist/bundle/cli.js";

interface Suite {
	readonly files: string;
	readonly concurrency: 1 | 2;
	readonly env?: NodeJS.ProcessEnv;
}
const SUITES: Readonly<Record<string, Suite>> = {
	pi: { files: "test/pi/*.test.ts", concurrency: 2, env: { WEFT_TEST_PI_CLI: NEWEST_PI } },
	"pi:oldest": { files: "test/pi/*.test.ts", concurrency: 2 },
	attack: { files: "test/attack/*.attack.ts", concurrency: 1 },
	page: { files: "e2e/page/*.test.ts", concurrency: 1 },
	agents: { files: "e2e/agents/*.test.ts", concurrency: 1 },
	installed: { files: "e2e/installed/*.test.ts", concurrency: 1 },
	fleet: { files: "e2e/fleet/*.test.ts", concurrency: 1 },
	openclaw: { files: "e2e/openclaw/*.test.ts", concurrency: 1 },
};
/** More failures than these have a cause of their own; running them again would only take time. */
const MAX_FILES_AGAIN = 5;

let runCount = 0;
const words = process.argv.slice(2);
const suite = words.find((word) => !word.startsWith("--")) ?? "";
const seed = randomSeed(words.find((word) => /^--random(?:=\d+)?$/.test(word)));
const reports = mkdtempSync(join(tmpdir(), "weft-tests-"));
try {
	const failed = await failedFiles(runsOf(suite));
	const isPassed = failed.length === 0 || (words.includes("--again") && (await passAgain(failed)));
	process.exitCode = isPassed ? 0 : 1;
} finally {
	rmSync(reports, { recursive: true, force: true });
}

function randomSeed(option: string | undefined): number | undefined {
	if (option === undefined) return undefined;
	const [, given] = option.split("=");
	const chosen = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
	console.log(`Random order and cases; to repeat them: --random=${chosen}`);
	return chosen;
}

interface Run {
	readonly args: readonly string[];
	readonly env?: NodeJS.ProcessEnv;
}

/** The runs of a suite, in order; those of one list run at the same time. */
function runsOf(suite: string): readonly (readonly Run[])[] {
	const program = SUITES[suite];
	if (program) {
		const args = [`--test-concurrency=${program.concurrency}`, program.files];
		return [[{ args, ...(program.env && { env: program.env }) }]];
	}
	if (suite && suite !== "more")
		throw new Error(`Unknown suite '${suite}'. Choose more, ${Object.keys(SUITES).join(", ")}.`);
	const files = globSync("test/**/*.test.ts")
		.map((path) => path.replaceAll("\\", "/"))
		.sort();
	if (suite === "more") return [[{ args: ["--test-concurrency=2", ...files.filter((path) => LONGEST.has(path))] }]];
	const others = files.filter((path) => (path.startsWith("test/pi/") ? path === PI_TEST : !LONGEST.has(path)));
	const beside = [1, 2].map((part) => ({
		args: ["--test-isolation=none", `--test-shard=${part}/2`, "src/**/*.test.ts"],
	}));
	return [beside, [{ args: ["--test-concurrency=2", ...others] }]];
}

/** The files with a failed test. A run that fails without naming a file counts as one of unknown name. */
async function failedFiles(runs: readonly (readonly Run[])[]): Promise<readonly string[]> {
	const failed: string[] = [];
	for (const together of runs) failed.push(...(await Promise.all(together.map(failedFilesOf))).flat());
	return failed;
}

async function passAgain(failed: readonly string[]): Promise<boolean> {
	if (failed.length > MAX_FILES_AGAIN || failed.includes("")) return false;
	const env = SUITES[suite]?.env;
	const still = await failedFiles(
		failed.map((file) => [{ args: ["--test-concurrency=1", file], ...(env && { env }) }]),
	);
	if (still.length === 0)
		console.log(`flaky: ${failed.map((file) => relative("", file)).join(", ")} failed, then passed`);
	return still.length === 0;
}

/** Prints a run's output in one piece. */
function failedFilesOf({ args, env }: Run): Promise<readonly string[]> {
	const report = join(reports, String(runCount++));
	const reporters = ["spec", "stdout", FAILED_FILES, report].map(
		(word, i) => `--test-reporter${i % 2 ? "-destination" : ""}=${word}`,
	);
	return new Promise((resolve) => {
		const order = seed === undefined ? [] : ["--test-randomize", `--test-random-seed=${seed}`];
		const child = spawn(process.execPath, ["--import", SEED, "--test", ...order, ...reporters, ...args], {
			stdio: ["ignore", "pipe", "inherit"],
			env: { ...process.env, ...(seed !== undefined && { WEFT_SEED: String(seed) }), ...env, NODE_COMPILE_CACHE },
		});
		const output: Buffer[] = [];
		child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
		child.on("close", (code) => {
			const files = existsSync(report) ? readFileSync(report, "utf8").split("\n").filter(Boolean) : [];
			process.stdout.write(Buffer.concat(output), () => resolve(code === 0 ? [] : files.length > 0 ? files : [""]));
		});
	});
}
