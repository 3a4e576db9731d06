import assert from "node:assert/strict";
import { test } from "node:test";
import { TemporaryProject } from "../../../test/rig/temporary-folder.ts";
import { expandGlob } from "./glob-files.ts";

test("expands a glob in any part of a path to what is there, and leaves other paths as they are", () => {
	using project = new TemporaryProject();
	for (const path of ["a/x.txt", "a/y.md", "b/x.txt", "c"]) project.put(path, "");
	const found = (pattern: string) =>
		expandGlob(`${project.folder}/${pattern}`)
			.map((path) => path.slice(project.folder.length + 1))
			.sort();
	assert.deepEqual(found("a/*.txt"), ["a/x.txt"]);
	assert.deepEqual(found("*/x.*"), ["a/x.txt", "b/x.txt"]);
	assert.deepEqual(found("[ab]"), ["a", "b"]);
	assert.deepEqual(found("nothing/here.txt"), ["nothing/here.txt"]);
	assert.deepEqual(found("nothing/*"), []);
});
