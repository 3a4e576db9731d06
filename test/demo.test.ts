/** `npm start`, as a person who has just cloned the repository runs it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { renderChart } from "../scripts/demo/chart.ts";
import { isAlmostSameLine } from "./rig/almost-same-line.ts";

const ROOT = join(import.meta.dirname, "..");
/** What is promised. */
const TIME_LIMIT_MS = 120_000;

interface Ended {
	readonly code: number | null;
	readonly out: string;
	readonly err: string;
}

/** No key, no settings and no runner's variables; everything that is made lies in `folder`. */
async function npmStart(folder: string, ...args: string[]): Promise<Ended> {
	const child = spawn("npm", ["start", "--silent", ...(args.length > 0 ? ["--", ...args] : [])], {
		cwd: ROOT,
		env: {
			PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
			HOME: folder,
			TMPDIR: folder,
			TZ: "UTC",
			NO_COLOR: "1",
		},
		stdio: ["ignore", "pipe", "pipe"],
		// A group of its own, so that whatever npm has started ends with it.
		detached: true,
	});
	const limit = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), TIME_LIMIT_MS);
	const exit = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
	const [code, out, err] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
	clearTimeout(limit);
	return { code, out, err };
}

suite("npm start", () => {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "weft-start-")));
	let ended: Ended;
	before(async () => {
		ended = await npmStart(folder);
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	test("ends by itself, well, and without a complaint", () => {
		assert.equal(ended.code, 0, ended.err);
		assert.doesNotMatch(ended.out, /fault|Failures of weft|scripted model/);
	});

	test("shows how the guard stops an edit of a file that changed, and that the next one passes", () => {
		assert.match(ended.out, /src\/quote\.js was changed from outside\n.*edit src\/quote\.js blocked \(unchanged\)/);
		assert.match(ended.out, /^1\. A save is not overwritten.*\n {2}#\d+ edit src\/quote\.js blocked/m);
	});

	test("shows a failure, its repair, the seals and the detail that was recalled byte for byte", () => {
		assert.match(ended.out, /sees it fail[\s\S]*sees it pass/);
		assert.match(ended.out, /^2\. A rule survives\. The prompt was sealed [2-9] times:$/m);
		assert.match(ended.out, /"the tables are right, leave them alone" was in (\d+) of the \1 prompts that followed/);
		assert.match(ended.out, /lcm_grep[\s\S]*lcm_expand/);
		assert.match(ended.out, /^3\. Every byte comes back.*\n {2}The first run said: 790 !== 940 and 15 !== 16\.$/m);
	});

	test("is what README shows of it", () => {
		const readme = readFileSync(join(ROOT, "README.md"), "utf8");
		const [, shown = ""] = /```\n(> The tests fail[\s\S]*?)```/.exec(readme) ?? [];
		const lines = shown.split("\n").filter((line) => line.trim() !== "");
		assert.ok(lines.length > 20, `${lines.length} lines`);
		const printed = ended.out.split("\n");
		const missing = lines.filter((line) => !printed.some((other) => isAlmostSameLine(line, other)));
		assert.deepEqual(missing, []);
	});

	test("shows tokens per request, what Pi alone would have cost, and where to look further", () => {
		assert.match(ended.out, /^Tokens per request:\n *[\d,]+ ┤/m);
		assert.match(
			ended.out,
			/^At the price of a usual model this run cost \$[\d.]+\. Pi alone, with 1 compaction of its own, would have\ncost about \$[\d.]+: weft took \d+ % off\. Long sessions save more\.$/m,
		);
		const [, home] = /^export WEFT_HOME=(.*)$/m.exec(ended.out)!;
		assert.ok(home!.startsWith(folder) && existsSync(home!));
		assert.match(ended.out, /^npm run -s weft -- log --limit 30 --project /m);
		assert.match(ended.out, /^npm run -s weft -- context --why --project /m);
	});
});

test("npm start -- FILE imports and replays a session of one's own; a file that is not there is said to be missing", async () => {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "weft-start-")));
	after(() => rmSync(folder, { recursive: true, force: true }));
	const { code, out } = await npmStart(folder, join("demo", "session.jsonl"));
	assert.equal(code, 0);
	assert.match(out, /^events +\d+ in 1 session$/m);
	assert.match(out, /^woven +[\d.]+k/m);
	assert.match(out, /^export WEFT_HOME=/m);

	const missing = await npmStart(folder, join(folder, "none.jsonl"));
	assert.equal(missing.code, 3);
	assert.match(missing.err, /No such file: .*none\.jsonl/);

	const strange = join(folder, "strange.jsonl");
	writeFileSync(strange, "nothing of ours\n");
	assert.notEqual((await npmStart(folder, strange)).code, 0);
});

test("the chart has a column for each request, the whole history behind it and a mark under each seal", () => {
	const chart = renderChart([
		{ sent: 6_000, whole: 6_000, sealed: false },
		{ sent: 12_000, whole: 12_000, sealed: false },
		{ sent: 3_000, whole: 12_000, sealed: true },
	]);
	assert.deepEqual(chart.slice(0, 1).concat(chart.slice(5, 7), chart.slice(11, 14)), [
		"12,000 ┤  █ ░",
		"       ┤  █ ░",
		" 6,000 ┤█ █ ░",
		" 1,000 ┤█ █ █",
		"       └──────",
		"            ▲",
	]);
});
