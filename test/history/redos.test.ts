import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** Patterns that hang engines that backtrack, and harmless ones that guards against those refuse by mistake. */
const HANGING = [
	"(a+)+$",
	"(a*a)*$",
	"((a)+)+$",
	"(a|a)*$",
	"(a|aa)+$",
	"a*a*a*a*a*a*a*b",
	"(.*,){12}P",
	"^(([a-z])+.)+[A-Z]([a-z])+$",
	"(\\w+\\s?)+$",
];
const HARMLESS = [
	"(foo|bar)+",
	"(error|warn)?ing",
	"([A-Z]\\w+)*Error",
	"(\\d{1,3}\\.){3}\\d{1,3}",
	"(\\w+/)+\\w+\\.ts",
];
const DEADLINE_MS = 60_000;

test("18–21: no pattern hangs lcm_grep, and harmless ones are not refused", { timeout: DEADLINE_MS * 2 }, async () => {
	const child = spawn(process.execPath, [fileURLToPath(new URL("./grep-child.ts", import.meta.url))], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
	let out = "";
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		out += text;
	});
	child.stdin.end(JSON.stringify([...HANGING, ...HARMLESS]));
	const code = await new Promise((resolve) => child.on("close", resolve));
	clearTimeout(deadline);
	assert.equal(code, 0, "ended before its deadline");
	const answers = JSON.parse(out) as {
		pattern: string;
		isError: boolean;
		hits: number;
		complete: boolean;
		longestDelayMs: number;
	}[];
	assert.equal(answers.length, HANGING.length + HARMLESS.length);
	for (const { pattern, isError, hits, complete } of answers) {
		assert.equal(isError, false, pattern);
		if (HARMLESS.includes(pattern)) assert.ok(hits > 0 && complete, pattern);
	}
});
