import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATOR, ownerOfKey } from "./owner.ts";

test("a heartbeat belongs to its session and a run to its job", () => {
	assert.equal(ownerOfKey("agent:main:main"), OPERATOR);
	assert.equal(ownerOfKey("agent:main:main:heartbeat"), OPERATOR);
	assert.equal(ownerOfKey("agent:main:notes"), OPERATOR);
	assert.equal(ownerOfKey("agent:main:telegram:group:7:heartbeat"), ownerOfKey("agent:main:telegram:group:7"));
	assert.equal(ownerOfKey("agent:main:cron:daily:run:1"), ownerOfKey("agent:main:cron:daily"));
});

// The host writes the id that a channel gives into the key as it is.
test("nobody becomes another owner by the form of their own id", () => {
	const [alice, group] = [ownerOfKey("agent:main:matrix:direct:@alice"), ownerOfKey("agent:main:matrix:group:!tea")];
	for (const id of [
		"@alice:heartbeat",
		"@alice:run:1",
		"@alice:run:",
		"@alice:heartbeat:1",
		"@alice:heartbeat:heartbeat",
		"x:direct:@alice",
		"main",
		"agent:main:main",
		"@alice\n",
		" @alice",
		"",
	])
		for (const key of [
			`agent:main:matrix:direct:${id}`,
			`agent:main:matrix:work:direct:${id}`,
			`agent:main:direct:${id}`,
		]) {
			const owner = ownerOfKey(key);
			assert.ok(![alice, group, OPERATOR].includes(owner), `${JSON.stringify(key)} is ${JSON.stringify(owner)}`);
		}
	for (const kind of ["group", "channel", "room"]) {
		const [room, server] = [`agent:main:matrix:${kind}:!tea`, `agent:main:matrix:${kind}:!tea:heartbeat`];
		assert.notEqual(ownerOfKey(server), ownerOfKey(room), "a room on a server of that name");
	}
});
