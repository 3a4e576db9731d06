import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesGlob, pathsInCommand, pathsInOutput } from "./paths.ts";

test("globs match as a shell matches them", () => {
	const matches = (pattern: string, ...paths: string[]) => paths.filter((path) => matchesGlob(pattern, path));
	const paths = ["a.ts", "b.js", "src/a.ts", "src/x/y.ts"];
	assert.deepEqual(matches("*.ts", ...paths), ["a.ts"]);
	assert.deepEqual(matches("src/*.ts", ...paths), ["src/a.ts"]);
	assert.deepEqual(matches("**/*.ts", ...paths), ["a.ts", "src/a.ts", "src/x/y.ts"]);
	assert.deepEqual(matches("src/**", ...paths), ["src/a.ts", "src/x/y.ts"]);
	assert.deepEqual(matches("[ab].?s", ...paths), ["a.ts", "b.js"]);
	assert.deepEqual(matches("[!b].?s", ...paths), ["a.ts"]);
	assert.equal(matchesGlob(`${"*a".repeat(200)}b`, "a".repeat(300)), false);
	for (const path of ["app/i/x.tsx", "app/[id]/x.tsx"]) assert.ok(matchesGlob("app/[id]/*", path), path);
});

test("words of a line that may name files, also those of loops, scripts and revisions", () => {
	const line = `for f in src/*.ts b.ts; do cat "$f"; done; python -c "open('c.py','w')"; git show HEAD:d.ts`;
	const found = pathsInCommand(line);
	for (const path of ["src/*.ts", "b.ts", "c.py", "d.ts"]) assert.ok(found.includes(path), path);
});

test("paths that an output names before its lines", () => {
	const output =
		"==> a.ts <==\nx\nsrc/b.ts:12:text\nsrc/c-d.ts-13-text\n+++ b/e.ts\nf/g.rs\n12:found\nWrote to /w/package.json:\n";
	assert.deepEqual(pathsInOutput(output), ["a.ts", "src/b.ts", "src/c-d.ts", "e.ts", "f/g.rs", "/w/package.json"]);
});
