/** The bytes that stay in memory for each line decide how long a file can be. */

import assert from "node:assert/strict";
import { basename } from "node:path";
import { describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { READERS } from "../../src/agent/agents.ts";
import { detectKind } from "../../src/agent/recorded/file-kind.ts";
import type { JsonObject } from "../../src/base/json/read.ts";
import { FORMATS, type Format } from "./formats.ts";
import type { Script } from "./script.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const STEPS = 1_500;
const MAX_BYTES = 400;

const script: Script = Array.from({ length: 2 * STEPS }, (_, n) => ({
	answer: `Step ${n} of the cloth is woven now, and its words are in no other`,
	acts: [],
	tokens: { input: 100, read: 1_000, output: 50 },
}));

/** Bytes that stay in memory for each step. */
function keptOf(format: Format): number {
	const lines = format.lines!(script);
	const head = lines.slice(0, 200) as JsonObject[];
	const kind = detectKind(READERS, head, { path: format.path, name: basename(format.path) }, true);
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
	return (after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers) / STEPS;
}

describe("a session of any length", () => {
	const ofLines = FORMATS.filter(({ lines }) => lines);
	// The first run also compiles the code.
	keptOf(ofLines[0]!);

	for (const format of ofLines) {
		test(`leaves a few bytes of each line: ${format.agent}${format.isOld ? " (old)" : ""}`, () => {
			const kept = keptOf(format);
			assert.ok(kept < MAX_BYTES, `${kept} bytes for each step`);
		});
	}
});
