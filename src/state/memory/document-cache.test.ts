import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { EVERYONE } from "../session/scope.ts";
import { bulletsOf } from "./document.ts";
import { DocumentCache, MAX_BYTES, memoryDocuments } from "./document-cache.ts";
import { memoryItems } from "./memory-items.ts";

const folder = temporaryFolder();

const LONG_AGO = new Date("2026-01-01T00:00:00Z");

function write(name: string, text: string, time?: Date): string {
	const path = join(folder, name);
	writeFileSync(path, text);
	if (time) utimesSync(path, time, time);
	return path;
}

function texts(cache: DocumentCache, path: string): string[] {
	const reading = cache.read(path);
	return reading.kind === "parsed" ? bulletsOf(reading.document).map(({ bullet }) => bullet.text) : [];
}

test("reads and parses an unchanged file once", () => {
	const cache = new DocumentCache();
	const path = write("once.md", "- one\n", LONG_AGO);
	for (let n = 0; n < 12; n++) assert.deepEqual(texts(cache, path), ["one"]);
	assert.deepEqual(cache.counts, { reads: 1, parses: 1 });
});

test("reads a file that was just written again, and parses it once", () => {
	const cache = new DocumentCache();
	const path = write("fresh.md", "- one\n");
	for (let n = 0; n < 12; n++) assert.deepEqual(texts(cache, path), ["one"]);
	assert.deepEqual(cache.counts, { reads: 12, parses: 1 });
});

test("sees an edit of the same length, right after a read and with the same time", () => {
	const cache = new DocumentCache();
	const path = write("edit.md", "- one\n");
	assert.deepEqual(texts(cache, path), ["one"]);
	write("edit.md", "- two\n");
	assert.deepEqual(texts(cache, path), ["two"]);
	write("edit.md", "- six\n", LONG_AGO);
	assert.deepEqual(texts(cache, path), ["six"]);
	write("edit.md", "- ten\n", LONG_AGO);
	assert.deepEqual(texts(cache, path), ["ten"]);
	assert.equal(cache.counts.parses, 4);
});

test("says what is wrong with a file, and reads it once it is there", () => {
	const cache = new DocumentCache();
	const path = join(folder, "later.md");
	assert.deepEqual(cache.read(path), { kind: "absent" });
	write("later.md", "- one\n");
	assert.deepEqual(texts(cache, path), ["one"]);
	rmSync(path);
	symlinkSync(path, path);
	assert.equal(cache.read(path).kind, "unreadable");
	assert.equal(cache.read(write("large.md", "x".repeat(MAX_BYTES + 1))).kind, "too-large");
});

test("recall parses each memory file once per change", () => {
	const data = temporaryFolder();
	const path = join(data, "memory", "MEMORY.md");
	const history = join(data, "memory", "HISTORY.md");
	mkdirSync(join(data, "memory"));
	writeFileSync(path, "## Facts\n\n- the port is 8080\n");
	writeFileSync(history, "## 2026-01-01\n\n- began\n");
	const before = memoryDocuments.counts.parses;
	const first = memoryItems({ folder: data, scope: EVERYONE });
	for (let n = 0; n < 5; n++) assert.deepEqual(memoryItems({ folder: data, scope: EVERYONE }), first);
	assert.equal(memoryDocuments.counts.parses, before + 2);
	writeFileSync(path, "## Facts\n\n- the port is 9090\n");
	assert.deepEqual(
		memoryItems({ folder: data, scope: EVERYONE }).map(({ text }) => text),
		["the port is 9090", "began"],
	);
	assert.equal(memoryDocuments.counts.parses, before + 3);
});
