import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readBounded, streamRegular } from "./regular-file.ts";

const folder = mkdtempSync(join(tmpdir(), "weft-file-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

test("a file within the bound is read whole, one byte more is not", () => {
	writeFileSync(at("full"), "x".repeat(100));
	assert.deepEqual(readBounded(at("full"), 100), { kind: "bytes", bytes: Buffer.from("x".repeat(100)) });
	assert.deepEqual(readBounded(at("full"), 99), { kind: "too-large", bytes: 100 });
	writeFileSync(at("empty"), "");
	assert.deepEqual(readBounded(at("empty"), 0), { kind: "bytes", bytes: Buffer.alloc(0) });
	assert.deepEqual(readBounded(at("none"), 10), { kind: "absent" });
	assert.deepEqual(readBounded(at("full/below"), 10), { kind: "absent" });
});

test("a pipe does not hold us, a device does not fill the memory, a folder is said", { skip: !isPosix() }, () => {
	execFileSync("mkfifo", [at("pipe")]);
	symlinkSync("/dev/zero", at("zero"));
	symlinkSync(at("loop"), at("loop"));
	assert.deepEqual(readBounded(at("pipe"), 10), { kind: "odd", what: "a pipe" });
	assert.deepEqual(readBounded(at("zero"), 10), { kind: "odd", what: "a device" });
	assert.deepEqual(readBounded(folder, 10), { kind: "odd", what: "a folder" });
	assert.deepEqual(readBounded(at("loop"), 10), { kind: "unreadable", code: "ELOOP" });
});

test("a file that hides its size is read, within the bound", { skip: process.platform !== "linux" }, () => {
	const whole = readBounded("/proc/self/status", 1_000_000);
	assert.ok(whole.kind === "bytes" && whole.bytes.includes("Pid:"));
	assert.equal(readBounded("/proc/self/status", 20).kind, "too-large");
});

function isPosix(): boolean {
	return process.platform !== "win32";
}

test("the rest of a file that grows is read into a buffer of its size", async () => {
	const whole = Buffer.from("0123456789".repeat(100_000));
	writeFileSync(at("grown"), whole);
	const read = async (start: number) => {
		const pieces: Buffer[] = [];
		for await (const piece of streamRegular(at("grown"), start)) pieces.push(piece);
		return pieces;
	};
	const [rest, ...others] = await read(whole.length - 20_000);
	assert.deepEqual(rest, whole.subarray(-20_000));
	assert.deepEqual(others, []);
	assert.ok((rest?.buffer.byteLength ?? 0) < 100_000, `${rest?.buffer.byteLength} bytes for 20,000`);
	assert.deepEqual(await read(whole.length), []);
	assert.ok(Buffer.concat(await read(0)).equals(whole));
});
