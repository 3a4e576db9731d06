import assert from "node:assert/strict";
import { test } from "node:test";
import { ran, user } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { threadIn } from "../../state/thread/thread.ts";
import { threadFold } from "../../state/thread/thread-fold.ts";
import { folderName, remoteName } from "./header.ts";

test("a worktree inside a repository has the repository's name", () => {
	assert.equal(folderName("/home/ann/tidepool/.worktrees/2"), "tidepool");
	assert.equal(folderName("/home/ann/tidepool/.git/wt/docs/x"), "tidepool");
	assert.equal(folderName("/home/ann/tidepool/"), "tidepool");
});

test("the address of a pull request names the repository, whatever the folder", () => {
	const made = ran("gh pr create --fill", "https://github.com/harbour/tidepool/pull/7");
	const thread = threadIn(stateAfter(threadFold, user("Open a pull request."), made), "s");
	assert.equal(remoteName(thread), "tidepool");
	assert.equal(remoteName(undefined), undefined);
});
