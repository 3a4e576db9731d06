import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { EntryFollower } from "./entry-follower.ts";

const user = (text: string) => ({ role: "user" as const, content: text, timestamp: 0 });

function session(...texts: string[]) {
	const manager = SessionManager.inMemory("/project");
	return { manager, ids: texts.map((text) => manager.appendMessage(user(text))) };
}

function take(follower: EntryFollower, manager: SessionManager, where: "onBranch" | "anywhere" = "onBranch"): string[] {
	const entries = follower[where](manager);
	follower.know(entries);
	return entries.map(({ id }) => id);
}

test("gives what is new on the branch once, oldest first", () => {
	const { manager, ids } = session("a", "b");
	const follower = new EntryFollower();
	assert.deepEqual(take(follower, manager), ids);
	assert.deepEqual(take(follower, manager), []);
	const later = [manager.appendModelChange("p", "m"), manager.appendMessage(user("c"))];
	assert.deepEqual(take(follower, manager), later);
});

test("gives an entry again until it is known", () => {
	const { manager, ids } = session("a");
	const follower = new EntryFollower();
	assert.deepEqual(
		follower.onBranch(manager).map(({ id }) => id),
		ids,
	);
	assert.deepEqual(take(follower, manager), ids);
});

test("stops at the fork of a new branch, and finds what was left behind on the old one", () => {
	const { manager, ids } = session("a", "b");
	const follower = new EntryFollower();
	take(follower, manager);
	const left = manager.appendMessage(user("left behind"));
	manager.branch(ids[0]!);
	const other = manager.appendMessage(user("other way"));
	assert.deepEqual(take(follower, manager), [other]);
	assert.deepEqual(take(follower, manager, "anywhere"), [left]);
});

test("an empty session and a leaf before the first entry give nothing", () => {
	const { manager } = session();
	const follower = new EntryFollower();
	assert.deepEqual(take(follower, manager), []);
	manager.appendMessage(user("a"));
	take(follower, manager);
	manager.resetLeaf();
	assert.deepEqual(take(follower, manager), []);
	const root = manager.appendMessage(user("a second root"));
	assert.deepEqual(take(follower, manager), [root]);
});

test("the cost of a step depends on the new entries, not on the size of the session", () => {
	const { manager } = session(...Array.from({ length: 500 }, (_, index) => `${index}`));
	const follower = new EntryFollower();
	follower.know(follower.anywhere(manager));
	manager.appendMessage(user("new"));
	let looked = 0;
	const watched = {
		getLeafEntry: () => manager.getLeafEntry(),
		getEntry: (id: string) => {
			looked++;
			return manager.getEntry(id);
		},
		getEntries: () => assert.fail("looked through the whole session"),
	};
	assert.equal(follower.onBranch(watched).length, 1);
	assert.equal(looked, 1);
});
