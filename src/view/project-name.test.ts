import assert from "node:assert/strict";
import { test } from "node:test";
import { projectNames } from "./project-name.ts";

test("projects are named by as many parts of their paths as it takes, and worktrees after their repository", () => {
	const names = projectNames([
		"/home/dev/one/api",
		"/home/dev/two/api",
		"/home/dev/web",
		"/home/dev/web/.worktrees/1",
		"D:\\oh-my-posh",
		"D:\\oh-my-posh\\.claude\\worktrees\\calm-fox",
		"/",
	]);
	assert.deepEqual(
		[...names.values()],
		["one/api", "two/api", "web", "web (worktree 1)", "oh-my-posh", "oh-my-posh (worktree calm-fox)", "/"],
	);
});
