import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { findSessionFiles } from "./session-files.ts";

const root = mkdtempSync(join(tmpdir(), "weft-find-"));
after(() => rmSync(root, { recursive: true, force: true }));
/** Of one test alone. */
const makeFolder = () => mkdtempSync(join(root, "f"));

test("finds session files and packed archives below a folder, each once, sub-agents' last, links that loop notwithstanding", () => {
	const folder = makeFolder();
	mkdirSync(join(folder, "b", "subagents"), { recursive: true });
	for (const name of ["z.jsonl", "b/m.jsonl", "b/subagents/agent-1.jsonl", "agent-0.jsonl", "notes.txt", "x.json"]) {
		writeFileSync(join(folder, name), "{}\n");
	}
	writeFileSync(join(folder, "events-1-9.jsonl.gz"), gzipSync('{"type":"weft-archive","version":1}\n'));
	writeFileSync(join(folder, "backup.jsonl.gz"), gzipSync('{"type":"session","id":"s"}\n'));
	symlinkSync(folder, join(folder, "b", "loop"));
	symlinkSync(join(folder, "z.jsonl"), join(folder, "again.jsonl"));
	symlinkSync(join(folder, "gone"), join(folder, "broken.jsonl"));
	symlinkSync("self.jsonl", join(folder, "self.jsonl"));
	assert.deepEqual(
		findSessionFiles(folder).map((path) => relative(folder, path)),
		["again.jsonl", "b/m.jsonl", "events-1-9.jsonl.gz", "agent-0.jsonl", "b/subagents/agent-1.jsonl"],
	);
});

test("follows no link out of the folder, and names those that it met", () => {
	const folder = makeFolder();
	const [inside, outside] = [join(folder, "inside"), join(folder, "outside")];
	for (const path of [inside, outside]) mkdirSync(path);
	for (const path of [join(inside, "one.jsonl"), join(outside, "two.jsonl")]) writeFileSync(path, "{}\n");
	for (const [name, target] of [
		["root", "/"],
		["up", ".."],
		["other", outside],
		["file.jsonl", join(outside, "two.jsonl")],
	] as const)
		symlinkSync(target, join(inside, name));
	const links: string[] = [];
	assert.deepEqual(
		findSessionFiles(inside, undefined, (link) => links.push(relative(inside, link))),
		[join(inside, "one.jsonl")],
	);
	assert.deepEqual(links, ["file.jsonl", "other", "root", "up"]);
	// A folder that is a link itself is the tree.
	symlinkSync(inside, join(folder, "linked"));
	assert.deepEqual(findSessionFiles(join(folder, "linked")), [join(folder, "linked", "one.jsonl")]);
});

test("a folder that is not there holds no files", () => {
	assert.deepEqual(findSessionFiles(join(root, "nowhere")), []);
});
