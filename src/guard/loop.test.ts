import assert from "node:assert/strict";
import { test } from "node:test";
import { GuardedAgent, GuardedProject } from "../../test/rig/guarded-session.ts";

const NOTE = /^The same call has given the same result (\d+) times, and nothing changed in between/;
const counts = (notes: readonly string[]) => notes.flatMap((note) => Number(NOTE.exec(note)?.[1] ?? []) || []);

test("the same call with the same result gets a remark from the third time on", () => {
	using project = new GuardedProject();
	const agent = new GuardedAgent(project);
	const run = () => counts(agent.bash("echo 'took 0.12s'; exit 1").notes);
	assert.deepEqual([run(), run(), run(), run()], [[], [], [3], [4]]);
	assert.deepEqual(project.verdicts(), ["warn loop", "warn loop"]);
});

test("other calls in between do not matter; another result does", () => {
	using project = new GuardedProject();
	const agent = new GuardedAgent(project);
	const run = () => counts(agent.bash("cat state 2>&1").notes);
	run();
	agent.bash("ls");
	run();
	project.put("state", "on\n");
	assert.deepEqual([run(), run(), run()], [[], [], [3]]);
});

test("durations and times of day do not make another result", () => {
	using project = new GuardedProject();
	const agent = new GuardedAgent(project);
	project.put("n", "1\n");
	const run = () => {
		project.put("n", `${project.text("n")}1\n`);
		return counts(agent.bash("echo failed in $(wc -l < n).5s at 12:00:0$(wc -l < n)").notes);
	};
	assert.deepEqual([run(), run(), run()], [[], [], [3]]);
});

test("a change of a file, a command that changes things and a new request begin anew", () => {
	using project = new GuardedProject();
	const agent = new GuardedAgent(project);
	const run = () => counts(agent.bash("echo red").notes);
	run();
	run();
	agent.write("a.ts", "x\n");
	assert.deepEqual([run(), run()], [[], []]);
	agent.bash("echo on > state");
	assert.deepEqual([run(), run()], [[], []]);
	agent.user("again");
	assert.deepEqual([run(), run(), run()], [[], [], [3]]);
});

test("arguments in another order are the same call; other arguments are not", () => {
	using project = new GuardedProject();
	const agent = new GuardedAgent(project);
	agent.call("lookup", { a: 1, b: [2] });
	agent.call("lookup", { b: [2], a: 1 });
	assert.deepEqual(counts(agent.call("lookup", { a: 1, b: [3] }).notes), []);
	assert.deepEqual(counts(agent.call("lookup", { b: [2], a: 1 }).notes), [3]);
});

test("is silent in report mode, but written down", () => {
	using project = new GuardedProject();
	const agent = new GuardedAgent(project, { settings: { policyMode: "report" } });
	for (let i = 0; i < 3; i++) assert.deepEqual(agent.bash("echo red").notes, []);
	assert.deepEqual(project.verdicts(), ["warn loop"]);
});
