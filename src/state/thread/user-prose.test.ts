import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ownLines, proseOf, shortenPastes } from "./user-prose.ts";

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

test("of a long log the lines that tell of a failure are kept, each once", () => {
	const lines = Array.from({ length: 60 }, (_, line) => `[CLI Check] tool ${line}: Exit code: 0`);
	lines.splice(20, 0, "[Queue] job 7 failed: no such ref", "[Queue] job 8 failed: no such ref", "[Queue] 0 errors");
	lines.splice(40, 0, "[Store] git checkout failed (exit 1)");
	const text = `It ends with a git issue.\n${lines.join("\n")}`;
	const short = shortenPastes(text);
	assert.deepEqual(short.split("\n").slice(5, -3), [
		"[… 16 pasted lines …]",
		"[Queue] job 7 failed: no such ref",
		"[… 19 pasted lines …]",
		"[Store] git checkout failed (exit 1)",
		"[… 20 pasted lines …]",
	]);
	assert.equal(shortenPastes(short), short);
	assert.equal(proseOf(text), "It ends with a git issue.");
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

test("a long log that was cut elsewhere is shortened all the same", () => {
	const log = Array.from({ length: 300 }, (_, at) => `2026-03-20T10:00:00Z INFO handled request ${at}`);
	log[150] = "2026-03-20T10:00:00Z INFO [… cut; whole: m-0123456789ab …]";
	assert.ok(shortenPastes(log.join("\n")).split("\n").length < 20);
});

test("sentences of others are not the user's own lines: output, quotations, broken paragraphs, reports", () => {
	const wrapped = [
		"  1. High: the relay must never drop a message while its queue is being drained by another worker, and it",
		"     always does so now. Use the drained flag instead of the length, and keep every handle open until the",
		"     last reader is gone.",
	];
	const cases: readonly (readonly string[])[] = [
		["ada@desk shop % ./deploy --now", "Never run this on a Friday."],
		["❯ make all", "Always use two workers. Moved 3 of 4 objects."],
		wrapped,
		['"""', "You must not keep it.", '"""'],
		["Always check the lease in [push.go](/home/ada/shop/push.go:172) before writing."],
		[`Keep it short.${" ".repeat(40)}`],
	];
	for (const pasted of cases) {
		const text = ["can you look at this:", "", ...pasted, "", "never push it"].join("\n");
		assert.deepEqual(
			ownLines(text).filter((line) => line !== ""),
			["can you look at this:", "never push it"],
			pasted[0],
		);
	}
});

test("a list that the user typed is their own", () => {
	const text =
		"please:\n- keep the port at 8443, because the old gateway still listens on the other one for now\n  - and never push";
	assert.deepEqual(ownLines(text), text.split("\n"));
});

test("lines in a row with one label, and lines with two, are a program's", () => {
	const lines = ["remote: Resolving", "remote:", "remote: - please try again", "remote: ends"];
	assert.deepEqual(ownLines(`Why?\n${lines.join("\n")}`), ["Why?"]);
	assert.deepEqual(ownLines("error: sync: no refs\nsync: relay: failed\nsync: a: b\nsync: c: d\nWhy?"), ["Why?"]);
	const own = "Note: keep the port.\nNote: keep the host.";
	assert.deepEqual(ownLines(own), own.split("\n"));
});
