import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventRecord } from "../../log/event/types.ts";
import { pauseFold, pauseIn } from "./pause-fold.ts";

function pause(...events: readonly (readonly [type: string, payload?: object])[]) {
	const state = pauseFold.initial();
	for (const [type, payload = {}] of events) {
		pauseFold.step(state, { type, session: "s", payload } as unknown as EventRecord);
	}
	return pauseIn(state, "s");
}

const call = ["ToolCalled"] as const;
const edit = ["FileChanged", { actor: "agent" }] as const;
const run = (command: string) => ["CommandRun", { command }] as const;

test("a test, a build, a commit and a word of the user are a pause; looking around is not", () => {
	assert.equal(pause(call, ["TestStatus"]), "rest");
	assert.equal(pause(call, run("npm run build 2>&1 | tail -5")), "rest");
	assert.equal(pause(call, run("git add -A && git commit -m 'Sort tides'")), "rest");
	assert.equal(pause(call, edit, ["UserIntent"]), "rest");
	for (const command of ["cat test/tides.test.ts", "git status", "ls build", "node scripts/tides.ts"]) {
		assert.equal(pause(call, run(command)), "work", command);
	}
});

test("right after an edit is no pause, whatever ran beside it", () => {
	assert.equal(pause(call, call, edit, ["TestStatus"], run("npm test")), "edit");
	assert.equal(pause(call, edit, call), "work");
	assert.equal(pause(call, ["FileChanged", { actor: "other" }]), "work");
});
