import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runCompiled } from "./compiled-script.ts";

function folderOf(t: TestContext): { readonly path: string; readonly kept: () => string[] } {
	const folder = mkdtempSync(join(tmpdir(), "weft-compiled-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return {
		path: join(folder, "built.js"),
		kept: () => readdirSync(folder).filter((name) => name !== "built.js"),
	};
}

const returning = (word: string) =>
	`(function (exports, require, module, file) { exports.say = () => "${word}"; exports.file = file; })`;

const say = (exports: unknown) => (exports as { say: () => string }).say();

test("keeps the code once, and again only when more of it has run", (t) => {
	const { path, kept } = folderOf(t);
	writeFileSync(path, returning("one"));
	const first = runCompiled(path);
	assert.equal(say(first.exports), "one");
	assert.deepEqual(kept(), []);
	first.keep(3);
	const [name] = kept();
	const place = join(path, "..", name!);
	const { ino } = statSync(place);
	runCompiled(path).keep(3);
	assert.equal(statSync(place).ino, ino);
	runCompiled(path).keep(4);
	assert.notEqual(statSync(place).ino, ino);
	assert.deepEqual(kept(), [name]);
});

test("kept code of another source is not taken, though it has the same length", (t) => {
	const { path } = folderOf(t);
	writeFileSync(path, returning("one"));
	runCompiled(path).keep(1);
	writeFileSync(path, returning("two"));
	assert.equal(say(runCompiled(path).exports), "two");
});

test("damaged code is not taken, and is kept anew", (t) => {
	const { path, kept } = folderOf(t);
	writeFileSync(path, returning("one"));
	runCompiled(path).keep(1);
	const place = join(path, "..", kept()[0]!);
	const whole = readFileSync(place);
	for (const at of [0, 36, 60, whole.length - 1]) {
		const damaged = Buffer.from(whole);
		damaged[at]! ^= 1;
		writeFileSync(place, damaged);
		assert.equal(say(runCompiled(path).exports), "one");
	}
	writeFileSync(place, whole.subarray(0, 20));
	const again = runCompiled(path);
	again.keep(1);
	assert.equal(say(runCompiled(path).exports), "one");
	assert.equal(readFileSync(place).length > 40, true);
});

test("a folder that cannot be written keeps nothing and breaks nothing", (t) => {
	const { path } = folderOf(t);
	writeFileSync(path, returning("one"));
	const compiled = runCompiled(path);
	rmSync(join(path, ".."), { recursive: true });
	compiled.keep(1);
	assert.equal(say(compiled.exports), "one");
});
