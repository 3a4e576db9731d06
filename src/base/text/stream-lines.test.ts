import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "../../../test/rig/processor-time.ts";
import { type StreamLine, StreamLines } from "./stream-lines.ts";

const MB = 1_000_000;

function split(text: string, chunkBytes: number, maxBytes = MB): StreamLine[] {
	const bytes = Buffer.from(text);
	const lines = new StreamLines(maxBytes);
	const found: StreamLine[] = [];
	for (let at = 0; at < bytes.length; at += chunkBytes) found.push(...lines.take(bytes.subarray(at, at + chunkBytes)));
	return [...found, ...lines.rest()];
}

test("lines are the same however the bytes come, also where a character is cut or a line has odd separators", () => {
	const text = 'one\n\n{"a":"é🔥\u2028\u2029"}\r\nlast';
	for (const chunk of [1, 2, 3, 7, 1_000]) {
		assert.deepEqual(
			split(text, chunk).map((line) => line.kind === "line" && line.text),
			["one", "", '{"a":"é🔥\u2028\u2029"}\r', "last"],
		);
	}
});

test("a line above the limit gives its size and its two ends, and the next line is read", () => {
	for (const chunk of [5, 999, 65_536]) {
		const [long, next] = split(`start${"x".repeat(50_000)}end\nnext\n`, chunk, 10_000);
		assert.ok(long?.kind === "too-long");
		assert.deepEqual([long.bytes, long.start.slice(0, 6), long.end.slice(-4)], [50_008, "startx", "xend"]);
		assert.ok(long.start.length <= 4_096 && long.end.length <= 4_096);
		assert.deepEqual(next, { kind: "line", text: "next" });
	}
});

test("the time grows with the bytes, not with their square", () => {
	const time = (bytes: number): number => {
		const text = `${"x".repeat(bytes)}\n`;
		const start = processorMs();
		assert.equal(split(text, 65_536, 200 * MB).length, 1);
		return processorMs() - start;
	};
	time(4 * MB);
	const [small, large] = [time(8 * MB), time(64 * MB)];
	assert.ok(large < 60 * Math.max(small, 5), `8 MB: ${small} ms, 64 MB: ${large} ms`);
});
