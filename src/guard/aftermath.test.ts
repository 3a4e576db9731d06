import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { GuardedAgent, GuardedProject } from "../../test/rig/guarded-session.ts";

function setUp() {
	const project = new GuardedProject();
	project.put("a.ts", "one\ntwo\n");
	project.put("b.ts", "x\n");
	const agent = new GuardedAgent(project);
	agent.read("a.ts");
	agent.read("b.ts");
	return { project, agent, [Symbol.dispose]: () => project[Symbol.dispose]() };
}

const changes = (project: GuardedProject) =>
	project.events("FileChanged").map(({ path, kind, actor, added, removed }) => ({ path, kind, actor, added, removed }));

describe("after a command", () => {
	test("what it changed is its own doing, with a note, and known from then on", () => {
		using at = setUp();
		const { notes } = at.agent.bash("sed -i s/two/TWO/ a.ts; rm b.ts");
		assert.deepEqual(notes, [
			"Changed by this call: b.ts (deleted).",
			"Changed by this call: a.ts (+1/−1).\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO",
		]);
		assert.deepEqual(changes(at.project), [
			{ path: "b.ts", kind: "delete", actor: "shell", added: 0, removed: null },
			{ path: "a.ts", kind: "edit", actor: "shell", added: 1, removed: 1 },
		]);
		assert.deepEqual(at.agent.bash("true").notes, []);
		assert.equal(at.agent.edit("a.ts", "TWO", "2").action, "pass");
		assert.equal(at.agent.write("b.ts", "new\n").action, "pass");
	});

	test("what changed before it is somebody else's, is told once with its diff, which counts as read", async () => {
		using at = setUp();
		at.project.put("a.ts", "one\n2\nthree\n");
		await sleep(60);
		const { notes } = at.agent.bash("true");
		assert.deepEqual(notes, [
			"Changed on disk by somebody else: a.ts (+2/−1).\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three",
		]);
		assert.deepEqual(changes(at.project), [{ path: "a.ts", kind: "edit", actor: "other", added: 2, removed: 1 }]);
		assert.deepEqual(at.agent.bash("true").notes, []);
		assert.deepEqual(at.agent.edit("a.ts", "one", "1").notes, []);
		assert.equal(changes(at.project).filter(({ actor }) => actor === "other").length, 1);
	});

	test("a file that was only touched is no news, and is looked at by its stat from then on", () => {
		using at = setUp();
		const { notes } = at.agent.bash("touch a.ts");
		assert.deepEqual(notes, []);
		assert.deepEqual(changes(at.project), []);
		assert.deepEqual(
			at.project
				.events("Verdict")
				.filter(({ why }) => why === "same")
				.map(({ path }) => path),
			["a.ts"],
		);
	});

	test("a command that failed is looked after as well", () => {
		using at = setUp();
		assert.match(at.agent.bash("echo more >> a.ts; false").notes.join(), /a\.ts \(\+1\/−0\)/);
	});

	test("only files that the session knows are looked at: the newest 64, and all that the command is seen to write", () => {
		using project = new GuardedProject();
		const agent = new GuardedAgent(project);
		for (let i = 0; i < 70; i++) {
			project.put(`f${i}.ts`, `${i}\n`);
			agent.read(`f${i}.ts`);
		}
		project.put("unknown.ts", "x\n");
		const { notes } = agent.bash("for f in *.ts; do echo more >> $f; done");
		assert.equal(changes(project).length, 70);
		assert.ok(changes(project).every(({ path }) => path !== "unknown.ts"));
		assert.match(notes[0]!, /^Changed by this call: f61\.ts \(\+1\/−0\), .*, 54 more\.$/);
		assert.match(notes[1]!, /^Changed by this call: f69\.ts \(\+1\/−0\)\.\n--- a\/f69\.ts/);
		assert.equal(notes.length, 9);
		agent.call("bash", { command: "true" }, () => {
			for (let i = 0; i < 70; i++) project.put(`f${i}.ts`, `${i}, by somebody else\n`);
		});
		assert.equal(changes(project).length, 70 + 64);
	});
});

test("after a tool that nobody knows, what changed is the agent's doing", () => {
	using at = setUp();
	const { notes } = at.agent.call("mystery", { target: "a.ts" }, () => at.project.put("a.ts", "other\n"));
	assert.match(notes.join(), /^Changed by this call: a\.ts/);
	assert.equal(changes(at.project)[0]?.actor, "agent");
});

test("a file that only the transcript tells of is not said to be deleted", () => {
	using project = new GuardedProject();
	project.put("a.ts", "x\n");
	const blind = new GuardedAgent(project, {
		files: {
			stat: () => ({ kind: "absent" }),
			read: () => ({ kind: "absent" }),
			digest: () => ({ kind: "absent" }),
			realpath: () => undefined,
		},
	});
	blind.read("a.ts");
	rmSync(project.path("a.ts"));
	assert.deepEqual(blind.bash("true").notes, []);
	assert.deepEqual(changes(project), []);
});
