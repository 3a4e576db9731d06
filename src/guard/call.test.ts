import assert from "node:assert/strict";
import { test } from "node:test";
import { changesFiles } from "../state/session/tool-class.ts";
import { classOf, isPatchEdit, mayChangeAnything } from "./call.ts";

test("knows the built-in tools of the hosts, and searches and fast-apply by their names", () => {
	const classes = {
		read: ["read", "Read", "NotebookRead"],
		edit: ["edit", "Edit", "MultiEdit"],
		write: ["write", "Write"],
		patch: ["apply_patch"],
		"fast-apply": ["morph_edit"],
		shell: ["bash", "Bash", "exec", "PowerShell"],
		"exact-search": ["grep", "Grep", "rg", "ast-grep", "ast_grep"],
		"semantic-search": ["morph_grep"],
		agent: ["Task", "sessions_spawn"],
		other: ["WebFetch", "ls", "__proto__"],
	} as const;
	for (const [of, tools] of Object.entries(classes)) {
		for (const tool of tools) assert.equal(classOf({ tool }, {}), of, tool);
	}
});

test("names of the settings win", () => {
	const toolClasses = { bash: "other", my_reader: "read" } as const;
	assert.equal(classOf({ tool: "Bash" }, { toolClasses }), "other");
	assert.equal(classOf({ tool: "My_Reader" }, { toolClasses }), "read");
});

test("each class is one that reads, one that changes files that it names, or one that may change any", () => {
	assert.deepEqual(
		["edit", "write", "patch", "fast-apply"].map((of) => changesFiles(of as never)),
		[true, true, true, true],
	);
	assert.deepEqual([isPatchEdit("patch"), isPatchEdit("write"), isPatchEdit("fast-apply")], [true, false, false]);
	assert.deepEqual(
		[mayChangeAnything("shell"), mayChangeAnything("other"), mayChangeAnything("read")],
		[true, true, false],
	);
});
