import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { proseOf, shortenPastes } from "./user-prose.ts";

const log = (lines: number) =>
	Array.from({ length: lines }, (_, line) => `2026-03-02T10:00:00Z INFO request ${line}`).join("\n");

test("a paste is cut to its first and last lines, the user's sentences are whole", () => {
	const text = `Never push.\n${log(300)}\nWhy does it fail?`;
	assert.equal(proseOf(text), "Never push.\nWhy does it fail?");
	const short = shortenPastes(text);
	assert.match(short, /^Never push\.\n.*request 0\n/);
	assert.match(short, /\[… 293 pasted lines …\]/);
	assert.ok(short.endsWith("request 299\nWhy does it fail?"));
	assert.ok(short.length < 600);
});

test("a few lines of a program inside prose are what the user says", () => {
	const text = "Run this:\nconst a = 1;\nand tell me.";
	assert.equal(proseOf(text), text);
});

test("cutting twice changes nothing more than cutting once leaves to cut", () => {
	fc.assert(
		fc.property(fc.array(fc.string(), { maxLength: 30 }), (lines) => {
			const once = shortenPastes(lines.join("\n"));
			assert.ok(once.length <= lines.join("\n").length + 40);
		}),
	);
});
