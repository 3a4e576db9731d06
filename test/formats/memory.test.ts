/** What is kept of each line decides whether a file of any length can be read. */
import assert from "node:assert/strict";
import { basename } from "node:path";
import { describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { detectKind } from "../../src/agent/recorded/detect.ts";
import type { JsonObject } from "../../src/base/json/read.ts";
import { FORMATS, type Format } from "./formats.ts";
import type { Script } from "./script.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const STEPS = 1_500;
const MAX_HEAP_BYTES = 50;
const MAX_BYTES = 400;

const script: Script = Array.from({ length: 2 * STEPS }, (_, n) => ({
	answer: `Step ${n} of the cloth is woven now, and its words are in no other`,
	acts: [],
	tokens: { input: 100, read: 1_000, output: 50 },
}));

/** Bytes that are kept of each step: in the heap, and in all. */
function keptOf(format: Format): { readonly heap: number; readonly all: number } {
	const lines = format.lines!(script);
	const head = lines.slice(0, 200) as JsonObject[];
	const kind = detectKind(head, { path: format.path, name: basename(format.path) }, true);
	assert.ok(kind && "found" in kind);
	const read = kind.found.open({ read: () => [] }, () => {});
	const feed = (from: number, to: number) => {
		for (let at = from; at < to; at++) {
			const text = JSON.stringify(lines[at]);
			read(JSON.parse(text) as JsonObject, text, at + 1);
		}
		collect();
		return process.memoryUsage();
	};
	const half = lines.length >> 1;
	const [before, after] = [feed(0, half), feed(half, lines.length)];
	const heap = (after.heapUsed - before.heapUsed) / STEPS;
	return { heap, all: heap + (after.arrayBuffers - before.arrayBuffers) / STEPS };
}

describe("a session of any length", () => {
	const ofLines = FORMATS.filter(({ lines }) => lines);
	// Code is compiled while it runs for the first time; that is not kept of a line.
	keptOf(ofLines[0]!);

	for (const format of ofLines) {
		test(`leaves a few bytes of each line: ${format.agent}${format.isOld ? " (old)" : ""}`, () => {
			const { heap, all } = keptOf(format);
			assert.ok(heap < MAX_HEAP_BYTES, `${heap} bytes of the heap for each step`);
			assert.ok(all < MAX_BYTES, `${all} bytes for each step`);
		});
	}
});
