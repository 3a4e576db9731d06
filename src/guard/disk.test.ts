import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { isRacy, sameStat } from "./compare.ts";
import { DiskFiles, lookOnce } from "./disk.ts";
import type { Digest, FileStat } from "./types.ts";

const root = temporaryFolder();
const at = (name: string) => join(root, name);
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

function digestOf(files: DiskFiles, name: string): Extract<Digest, { kind: "digest" }> {
	const digest = files.digest(at(name));
	assert.ok(digest.kind === "digest", JSON.stringify(digest));
	return digest;
}

test("a digest has the hash of the bytes, of the text with plain line ends, and the lines", () => {
	const files = new DiskFiles();
	writeFileSync(at("crlf"), "a\r\nb\r\n");
	const digest = digestOf(files, "crlf");
	assert.deepEqual([digest.hash, digest.textHash, digest.lines], [sha256("a\r\nb\r\n"), sha256("a\nb\n"), 2]);
	writeFileSync(at("binary"), "\0a\r\nb");
	const binary = digestOf(files, "binary");
	assert.equal(binary.textHash, binary.hash);
	writeFileSync(at("empty"), "");
	assert.equal(digestOf(files, "empty").lines, 0);
});

test("a digest is remembered only for bytes that cannot have changed unseen", () => {
	let reads = 0;
	const files = new DiskFiles();
	const read = files.read.bind(files);
	files.read = (path) => {
		reads++;
		return read(path);
	};
	writeFileSync(at("fresh"), "1");
	digestOf(files, "fresh");
	digestOf(files, "fresh");
	assert.equal(reads, 2);
	// Two seconds later by our clock the disk's clock has ticked for sure.
	const later = new DiskFiles({ clock: () => Date.now() + 5_000 });
	later.read = files.read;
	reads = 0;
	const first = digestOf(later, "fresh");
	assert.deepEqual([digestOf(later, "fresh").hash, reads], [first.hash, 1]);
	writeFileSync(at("fresh"), "2");
	assert.equal(digestOf(later, "fresh").hash, sha256("2"));
});

test("within one judgement a file is looked at once, and read only if its stat is new", () => {
	const files = new DiskFiles({ clock: () => Date.now() + 5_000 });
	writeFileSync(at("judged"), "caf\xe9\n", "latin1");
	assert.equal(digestOf(files, "judged").fragility, "encoding");
	const first = lookOnce(files);
	const bytes = first.read(at("judged"));
	assert.ok(bytes.kind === "bytes");
	const again = lookOnce(files).read(at("judged"));
	assert.ok(again.kind === "bytes" && again.bytes === bytes.bytes, "the remembered bytes");
	writeFileSync(at("judged"), "a\r\nb\n");
	assert.deepEqual(first.read(at("judged")), bytes);
	const next = lookOnce(files).digest(at("judged"));
	assert.equal(next.kind === "digest" ? next.fragility : next.kind, "line ends");
	assert.deepEqual(lookOnce(files).read(at("judged")), { kind: "bytes", bytes: Buffer.from("a\r\nb\n") });
});

test("what is not there, no file, too large or not to be read is said so", (t) => {
	const files = new DiskFiles({ maxBytes: 10 });
	writeFileSync(at("large"), "x".repeat(11));
	mkdirSync(at("folder"));
	symlinkSync("loop", at("loop"));
	symlinkSync("nowhere", at("dangling"));
	execFileSync("mkfifo", [at("pipe")]);
	assert.deepEqual(files.stat(at("absent")), { kind: "absent" });
	assert.deepEqual(files.stat(at("large/below")), { kind: "absent" });
	assert.deepEqual(files.stat(at("dangling")), { kind: "absent" });
	assert.deepEqual(files.stat(at("folder")), { kind: "other" });
	assert.deepEqual(files.stat(at("pipe")), { kind: "other" });
	assert.deepEqual(files.stat(at("loop")), { kind: "unreadable", code: "ELOOP" });
	assert.deepEqual(files.digest(at("large")), { kind: "too-large", size: 11 });
	assert.deepEqual(files.digest(at("absent")), { kind: "absent" });
	assert.deepEqual(files.digest(at("pipe")), { kind: "unreadable", code: "ENOTFILE" });
	assert.deepEqual(files.read(at("pipe")), { kind: "unreadable", code: "ENOTFILE" });
	assert.equal(files.read(at("folder")).kind, "unreadable");
	assert.equal(files.realpath(at("absent")), undefined);
	assert.equal(files.stat("a\0b").kind, "unreadable");
	if (process.getuid?.() === 0) return t.diagnostic("root reads everything");
	writeFileSync(at("secret"), "x");
	chmodSync(at("secret"), 0);
	assert.deepEqual(files.read(at("secret")), { kind: "unreadable", code: "EACCES" });
});

test("a real path is one name for a file; where cases are not told apart, in lower case", () => {
	mkdirSync(at("Dir"));
	writeFileSync(at("Dir/É.ts"), "x");
	symlinkSync("Dir", at("way"));
	assert.equal(new DiskFiles({ platform: "linux" }).realpath(at("way/É.ts")), at("Dir/É.ts"));
	assert.equal(
		new DiskFiles({ platform: "win32" }).realpath(at("way/É.ts")),
		at("Dir/É.ts").normalize("NFC").toLowerCase(),
	);
});

test("a stat tells a file that was renamed into place from the one before, whatever its times", () => {
	const files = new DiskFiles();
	const stat = () => (files.stat(at("r")) as { stat: FileStat }).stat;
	writeFileSync(at("r"), "1");
	utimesSync(at("r"), 1_000, 1_000);
	const before = stat();
	writeFileSync(at("r.new"), "2");
	utimesSync(at("r.new"), 1_000, 1_000);
	renameSync(at("r.new"), at("r"));
	assert.equal(stat().mtimeNs, before.mtimeNs);
	assert.notEqual(stat().ino, before.ino);
});

test("a stat is the same only when size, times, inode and device are; when we looked does not matter", () => {
	const stat: FileStat = { size: 1, mtimeNs: "2", ctimeNs: "3", ino: "4", dev: "5", at: 6 };
	assert.ok(sameStat(stat, { ...stat, at: 7 }));
	for (const other of [{ size: 0 }, { mtimeNs: "0" }, { ctimeNs: "0" }, { ino: "0" }, { dev: "0" }]) {
		assert.ok(!sameStat(stat, { ...stat, ...other }), JSON.stringify(other));
	}
});

test("a file that changed within a tick of the clock before it was looked at is not trusted", () => {
	const stat = (changed: string, at: number): FileStat => ({
		size: 1,
		mtimeNs: "5",
		ctimeNs: changed,
		ino: "1",
		dev: "1",
		at,
	});
	assert.ok(isRacy(stat("1000001000000", 1_000_010)));
	assert.ok(!isRacy(stat("1000001000000", 1_000_100)));
	// Whole seconds: a disk with a slow clock.
	assert.ok(isRacy({ ...stat("1000000000000", 1_000_900), mtimeNs: "1000000000000" }));
	assert.ok(!isRacy({ ...stat("1000000000000", 1_002_100), mtimeNs: "1000000000000" }));
});
