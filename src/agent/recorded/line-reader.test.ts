import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { type FileLine, readLineRuns } from "./line-reader.ts";

const folder = mkdtempSync(join(tmpdir(), "weft-lines-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function linesOf(content: string | Uint8Array, maxLineBytes?: number): Promise<FileLine[]> {
	const path = join(folder, "file.jsonl");
	writeFileSync(path, content);
	const lines: FileLine[] = [];
	for await (const run of readLineRuns(path, maxLineBytes)) lines.push(...run);
	return lines;
}

test("lines come with their numbers and the bytes read so far", async () => {
	assert.deepEqual(await linesOf("é\n\nb"), [
		{ number: 1, text: "é", ended: true, offset: 3 },
		{ number: 2, text: "", ended: true, offset: 4 },
		{ number: 3, text: "b", ended: false, offset: 5 },
	]);
	assert.deepEqual(await linesOf(""), []);
});

test("a byte order mark and carriage returns are no part of a line", async () => {
	const lines = await linesOf("\ufeffa\r\n\ufeffb\r\n");
	assert.deepEqual(
		lines.map((line) => line.text),
		["a", "\ufeffb"],
	);
});

test("only \\n ends a line", async () => {
	const [line] = await linesOf("a\u2028b\u2029c\u0085d\n");
	assert.equal(line!.text, "a\u2028b\u2029c\u0085d");
});

test("bytes that are no UTF-8 are told", async () => {
	const bytes = Buffer.from([0x61, 0xff, 0x62]);
	const [line] = await linesOf(Buffer.concat([Buffer.from("\ufeff \u3000"), bytes, Buffer.from("\t\r\n")]));
	assert.deepEqual([line!.text, line!.bytes], [" \u3000a\ufffdb\t", bytes]);
});

test("a line beyond the bound has no text, and the next one is read", async () => {
	const lines = await linesOf(`${"x".repeat(5_000_000)}\nshort\n`, 1_000_000);
	assert.deepEqual(
		lines.map((line) => [line.text, line.offset]),
		[
			[undefined, 5_000_001],
			["short", 5_000_007],
		],
	);
});

test("zeros at the end of a file are one line, and without an end they are read up to a bound", async () => {
	const zeros = Buffer.alloc(3_000);
	const lines = await linesOf(Buffer.concat([Buffer.from("a\n"), zeros, Buffer.from("\nb\n")]));
	assert.deepEqual(
		lines.map(({ text }) => text?.length),
		[1, 3_000, 1],
	);
	const path = join(folder, "file.jsonl");
	writeFileSync(path, "a\n");
	truncateSync(path, 40 * 1024 ** 3);
	const found: FileLine[] = [];
	for await (const run of readLineRuns(path)) found.push(...run);
	assert.deepEqual(
		found.map(({ text, ended, offset }) => [text, ended, offset < 100_000_000]),
		[
			["a", true, true],
			[undefined, false, true],
		],
	);
});

test("zeros in the middle of lines are read up to a bound, and those of a power cut cost their line", async () => {
	const path = join(folder, "file.jsonl");
	const read = async () => {
		const found: FileLine[] = [];
		for await (const run of readLineRuns(path)) found.push(...run);
		return found.map(({ text, ended, offset }) => [text?.length, ended, offset < 150_000_000]);
	};
	writeFileSync(path, 'a\n{"half":');
	truncateSync(path, 40 * 1024 ** 3);
	assert.deepEqual(await read(), [
		[1, true, true],
		[undefined, false, true],
	]);
	// No line of it is long.
	const file = openSync(path, "r+");
	for (let at = 1; at <= 20; at++) writeSync(file, "}\n{", at * 30 * 1024 ** 2);
	closeSync(file);
	const lines = await read();
	assert.ok(lines.length < 6);
	assert.ok(lines.every(([, , isNear]) => isNear));
	const zeros = Buffer.alloc(300_000);
	const cut = await linesOf(Buffer.concat([Buffer.from('a\n{"half":'), zeros, Buffer.from("\nb\n")]));
	assert.deepEqual(
		cut.map(({ text }) => text?.length),
		[1, 300_008, 1],
	);
});

test("a line of five megabytes over many chunks comes in one piece", async () => {
	const long = "å".repeat(2_600_000);
	const lines = await linesOf(`${long}\n${long}`);
	assert.deepEqual(
		lines.map((line) => line.text === long),
		[true, true],
	);
});

test("any text is the sum of its lines", async () => {
	const text = fc.array(fc.constantFrom("a", "\n", "é", "\u2028", "😀", " ")).map((all) => all.join(""));
	await fc.assert(
		fc.asyncProperty(text, async (content) => {
			const lines = await linesOf(content);
			assert.equal(lines.map((line) => line.text + (line.ended ? "\n" : "")).join(""), content);
		}),
		{ numRuns: 50 },
	);
});
