import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type EventWord, fileChanged, fileRead } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import type { Payload } from "../../log/event/types.ts";
import { viewFile } from "./excerpt.ts";
import { type FileState, fileFold } from "./file-fold.ts";
import { diskFiles, type FileContent, type FileSource } from "./file-source.ts";
import { mentionOf, mentionsIn } from "./working-set.ts";

const root = temporaryFolder();
mkdirSync(join(root, "project"));
const project = join(root, "project");

function put(name: string, content: string | Uint8Array): void {
	writeFileSync(join(project, name), content);
}

/** The file after these reads and changes of it. */
function file(path: string, ...words: readonly ((path: string) => EventWord)[]): FileState {
	return stateAfter(fileFold, ...words.map((word) => word(path))).files[path]!;
}

const numbered = (count: number): string => `${Array.from({ length: count }, (_, n) => `line ${n + 1}`).join("\n")}\n`;
const wholeRead = (text: string) => (path: string) =>
	fileRead(path, { to: text.split("\n").length - 1, sliceHash: sha256(text), fileHash: sha256(text) });
const sliceRead = (text: string, from: number, to: number) => (path: string) => {
	const lines = text.split("\n").slice(from - 1, to);
	return fileRead(path, { from, to, sliceHash: sha256(lines.join("\n")) });
};
const changed = (more: Partial<Payload<"FileChanged">>) => (path: string) => fileChanged(path, more);
const only = (content: FileContent): FileSource => ({ read: () => content });
const text = (content: string): FileSource => only({ kind: "text", text: content, hash: sha256(content) });

test("a file whose bytes are those that were read is shown where it was read", () => {
	const content = numbered(100);
	put("a.txt", content);
	const view = viewFile(file("a.txt", wholeRead(content)), diskFiles(project));
	assert.equal(view.status, "fresh");
	assert.equal(view.remark, null);
	assert.deepEqual(view.excerpts, [{ from: 1, lines: content.trimEnd().split("\n"), why: "read" }]);
	const slice = viewFile(file("a.txt", sliceRead(content, 40, 44)), diskFiles(project));
	assert.equal(slice.status, "fresh");
	assert.deepEqual(slice.excerpts, [
		{ from: 40, lines: ["line 40", "line 41", "line 42", "line 43", "line 44"], why: "read" },
	]);
});

test("a stale file says by name what changed, from both texts or from what the log has of the change", () => {
	const before = "export function total() {}\n";
	const now = `${before}export function tax() {}\n`;
	const read = wholeRead(before);
	const told = "STALE — changed on disk: +1/-0 lines, adds tax";
	assert.equal(viewFile(file("a", read), text(now), text(before)).remark, told);
	const diff = "@@ -1,1 +1,2 @@\n export function total() {}\n+export function tax() {}\n";
	const byOthers = changed({ kind: "edit", added: 1, removed: 0, actor: "other", diff });
	assert.equal(viewFile(file("a", read, byOthers), text(now)).remark, `${told}, read it again`);
});

test("a file with other bytes is stale, with what changed and no excerpt", () => {
	const content = numbered(10);
	const now = content.replace("line 4\n", "line four\n");
	const view = viewFile(file("a", wholeRead(content)), text(now), text(content));
	assert.equal(view.status, "stale");
	assert.equal(view.remark, "STALE — changed on disk: +1/-1 lines");
	assert.deepEqual(view.excerpts, []);
	assert.deepEqual(view.diff, [
		"@@ line 1 @@",
		" line 1",
		" line 2",
		" line 3",
		"-line 4",
		"+line four",
		" line 5",
		" line 6",
		" line 7",
	]);
	const unknown = viewFile(file("a", wholeRead(content)), text(now));
	assert.deepEqual(
		[unknown.status, unknown.remark, unknown.diff],
		["stale", "STALE — changed on disk, read it again", []],
	);
});

test("where only a stretch was known, what lies around it is no change", () => {
	const content = numbered(60);
	const known = only({ kind: "partial", parts: [{ from: 20, lines: content.split("\n").slice(19, 30) }] });
	const now = content.replace("line 25\n", "line 25\nline 25 and a half\n");
	const view = viewFile(file("a", sliceRead(content, 20, 30)), text(now), known);
	assert.equal(view.status, "stale");
	assert.deepEqual(
		view.diff.filter((line) => /^[+-]/.test(line)),
		["+line 25 and a half"],
	);
});

test("lines read after somebody changed the file are fresh, though its old hash is not", () => {
	const before = numbered(30);
	const now = before.replace("line 2\n", "line two\n");
	const view = viewFile(file("a", wholeRead(before), sliceRead(now, 1, 5)), text(now));
	assert.equal(view.status, "fresh");
	const again = now.replace("line 3\n", "line three\n");
	assert.equal(viewFile(file("a", wholeRead(before), sliceRead(now, 1, 5)), text(again)).status, "stale");
});

test("line ends that git rewrote are no change", () => {
	const content = numbered(5);
	assert.equal(viewFile(file("a", wholeRead(content)), text(content.replaceAll("\n", "\r\n"))).status, "fresh");
	assert.equal(viewFile(file("a", sliceRead(content, 2, 4)), text(content.replaceAll("\n", "\r\n"))).status, "fresh");
});

test("an own edit is shown first, found by its text though the diff names another line", () => {
	const content = numbered(50).replace("line 30\n", "line 30\nput in here\n");
	const edit = changed({
		kind: "edit",
		added: 1,
		removed: 0,
		actor: "agent",
		diff: "@@ -1,1 +1,2 @@\n line 30\n+put in here\n",
	});
	const view = viewFile(file("a", sliceRead(numbered(50), 10, 12), edit), text(content));
	assert.equal(view.status, "fresh");
	assert.deepEqual(
		view.excerpts.map(({ from, lines, why }) => [why, from, from + lines.length - 1]),
		[
			["changed", 26, 36],
			["read", 10, 12],
		],
	);
	const undone = viewFile(file("a", sliceRead(numbered(50), 10, 12), edit), text(numbered(50)));
	assert.equal(undone.status, "stale", "the text that was put in is gone");
});

test("lines that were read move with the own changes above them", () => {
	const before = numbered(50);
	const after = before.replace("line 3\n", "line 3\nnew a\nnew b\n");
	const edit = changed({
		kind: "edit",
		added: 2,
		removed: 0,
		actor: "agent",
		diff: "@@ -3,1 +3,3 @@\n line 3\n+new a\n+new b\n",
	});
	const view = viewFile(file("a", sliceRead(before, 40, 42), edit), text(after));
	const read = view.excerpts.find(({ why }) => why === "read")!;
	assert.deepEqual([read.from, read.lines], [42, ["line 40", "line 41", "line 42"]]);
});

test("a change that tells neither hash nor text leaves nothing to compare with, and says no more", () => {
	const edit = changed({
		kind: "edit",
		added: 0,
		removed: 2,
		actor: "agent",
		diff: "@@ -5,3 +5,1 @@\n line 5\n-x\n-y\n",
	});
	assert.equal(viewFile(file("a", edit), text(numbered(20))).status, "unverified");
});

test("whatever is wrong with a file is said, and nothing throws", () => {
	const disk = diskFiles(project, { maxBytes: 1_000 });
	put("binary", new Uint8Array([1, 0, 2]));
	put("latin1", new Uint8Array([0x63, 0x61, 0x66, 0xe9]));
	put("huge", "x".repeat(1_001));
	put("locked", "secret");
	chmodSync(join(project, "locked"), 0o000);
	mkdirSync(join(project, "folder"), { recursive: true });
	writeFileSync(join(root, "outside"), "elsewhere");
	symlinkSync(join(root, "outside"), join(project, "way-out"));
	symlinkSync("circle", join(project, "circle"));
	const kinds = Object.fromEntries(
		[
			"binary",
			"latin1",
			"huge",
			"folder",
			"way-out",
			"../outside",
			"/etc/hostname",
			"circle",
			"no/such",
			"a\0b",
			"x".repeat(5_000),
		].map((path) => {
			const view = viewFile(file(path, wholeRead("before\n")), disk);
			assert.deepEqual(view.excerpts, []);
			return [path.slice(0, 13), view.remark];
		}),
	);
	assert.deepEqual(kinds, {
		binary: "binary, 3 B",
		latin1: "binary, 4 B",
		huge: "too large to show, 1.0 kB",
		folder: "cannot be read: a folder",
		"way-out": "leads out of the project, not shown",
		"../outside": "leads out of the project, not shown",
		"/etc/hostname": "leads out of the project, not shown",
		circle: "cannot be read: links that lead in a circle",
		"no/such": "STALE — not on disk any more",
		"a\0b": "cannot be read: this name is not allowed",
		xxxxxxxxxxxxx: "cannot be read: the name is too long",
	});
	if (process.getuid?.() !== 0) assert.deepEqual(disk.read("locked"), { kind: "unreadable", reason: "no permission" });
	const gone = file("gone", wholeRead("x\n"), changed({ kind: "delete", added: 0, removed: 1, actor: "agent" }));
	assert.equal(viewFile(gone, disk).remark, "deleted");
});

test("a file named through a link is read where the link leads, inside the project", () => {
	put("real.txt", "inside\n");
	symlinkSync("real.txt", join(project, "link.txt"));
	assert.equal(diskFiles(project).read("link.txt").kind, "text");
	assert.equal(diskFiles(project).read(join(project, "real.txt")).kind, "text");
});

test("a request names files by path, by name, and by half a name", () => {
	const words = mentionsIn("Fix `src/tides.ts`, the README にも, and test/deep/clock.ts:12. See config.");
	assert.deepEqual(
		["src/tides.ts", "README.md", "deep/clock.ts", "lib/config.ts", "src/other.ts", "x/src/tides.ts", "a.ts"].map(
			(path) => mentionOf(path, words),
		),
		[1, 0.5, 1, 0.5, 0, 1, 0],
	);
	assert.equal(mentionOf("src/a.ts", mentionsIn("")), 0);
});
