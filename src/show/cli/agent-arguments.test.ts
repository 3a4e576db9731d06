import assert from "node:assert/strict";
import { test } from "node:test";
import { markPassedOn } from "./run.ts";

const CASES: readonly (readonly [given: string, marked: string])[] = [
	["run claude -p hi", "run claude -- -p hi"],
	["run codex exec --json hi", "run codex -- exec --json hi"],
	["run codex --no-proxy exec --json", "run codex --no-proxy -- exec --json"],
	["run --no-proxy claude --continue", "run --no-proxy claude -- --continue"],
	[
		"--home /a --json run claude --home=/b --project c --model x",
		"--home /a --json run claude --home=/b --project c -- --model x",
	],
	["run claude -- -p hi", "run claude -- -p hi"],
	["run claude --help", "run claude -- --help"],
	["run pi --version", "run pi -- --version"],
	["run pi -h", "run pi -- -h"],
	["run codex --no-proxy -V", "run codex --no-proxy -- -V"],
	["run --help", "run --help"],
	["run --version pi", "run --version pi"],
	["run -- claude -p", "run -- claude -p"],
	["run claude", "run claude"],
	["run", "run"],
	["run pi --continue", "run pi -- --continue"],
	["trial --help", "trial --help"],
	["trial --report --since 30d", "trial --report --since 30d"],
	["trial --task x pi --model y", "trial --task x pi -- --model y"],
	["log --json", "log --json"],
	["grep run claude -p", "grep run claude -p"],
	["", ""],
];

for (const [given, marked] of CASES) {
	test(`what is for the agent in 'weft ${given}'`, () => {
		assert.equal(markPassedOn(given.split(" ")).join(" "), marked);
	});
}
