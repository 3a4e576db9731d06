import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { GuardedAgent, GuardedProject } from "../../test/rig/guarded-session.ts";
import { searches } from "./policy.ts";

const semantic = (agent: GuardedAgent) => agent.call("morph_grep", { query: "where is the token checked" }).action;
const fast = (agent: GuardedAgent) => agent.call("morph_edit", { path: "new.ts", code_edit: "x" }).action;

describe("discovery order", () => {
	test("a search by meaning is blocked until an exact search was made, anew for each request", () => {
		using project = new GuardedProject();
		const agent = new GuardedAgent(project);
		agent.user("find it");
		assert.equal(semantic(agent), "block");
		agent.call("grep", { pattern: "token" });
		assert.equal(semantic(agent), "pass");
		agent.user("find another");
		assert.equal(semantic(agent), "block");
		agent.bash("cd src; rg -n token .");
		assert.equal(semantic(agent), "pass");
		assert.deepEqual(project.verdicts(), ["block discovery-order", "block discovery-order"]);
		assert.match(project.events("Verdict")[0]!.reason, /grep, rg or ast-grep.*call morph_grep again/);
	});

	test("counts calls that the log does not know yet", () => {
		using project = new GuardedProject();
		const agent = new GuardedAgent(project, { late: true });
		agent.bash("git grep token");
		assert.equal(semantic(agent), "pass");
	});

	test("passes with a warning the third time: there may be no such tool", () => {
		using project = new GuardedProject();
		const agent = new GuardedAgent(project);
		assert.deepEqual([semantic(agent), semantic(agent), semantic(agent)], ["block", "block", "pass"]);
	});

	test("can be turned off, or only reported", () => {
		using project = new GuardedProject();
		assert.equal(semantic(new GuardedAgent(project, { settings: { enforceDiscoveryOrder: false } })), "pass");
		assert.deepEqual(project.verdicts(), []);
		assert.equal(semantic(new GuardedAgent(project, { settings: { policyMode: "report" } })), "pass");
		assert.deepEqual(project.verdicts(), ["block discovery-order"]);
	});

	test("knows tools by the classes that the settings add", () => {
		using project = new GuardedProject();
		const toolClasses = { vector_search: "semantic-search", find_text: "exact-search" } as const;
		const agent = new GuardedAgent(project, { settings: { toolClasses } });
		assert.equal(agent.call("Vector_Search", {}).action, "block");
		agent.call("find_text", {});
		assert.equal(agent.call("Vector_Search", {}).action, "pass");
	});

	test("a shell line that searches files is told from one that sifts output", () => {
		for (const line of [
			"rg x",
			"grep -rn x src | head",
			"cd a && git grep x",
			"timeout 5 ast-grep -p x",
			"sudo egrep x f",
		]) {
			assert.ok(searches(line), line);
		}
		for (const line of ["npm test | grep FAIL", "echo rg", "cargo run", "ls", "git log --grep=x"]) {
			assert.ok(!searches(line), line);
		}
	});
});

describe("edit order", () => {
	test("fast-apply is blocked until an edit was tried, anew for each request", () => {
		using project = new GuardedProject();
		const agent = new GuardedAgent(project);
		agent.user("change it");
		assert.equal(fast(agent), "block");
		project.put("a.ts", "x\n");
		agent.read("a.ts");
		agent.edit("a.ts", "y", "z");
		assert.equal(fast(agent), "pass");
		agent.user("change more");
		assert.equal(fast(agent), "block");
		assert.deepEqual(project.verdicts(), ["block edit-order", "block edit-order"]);
	});

	test("can be turned off", () => {
		using project = new GuardedProject();
		assert.equal(fast(new GuardedAgent(project, { settings: { enforceEditOrder: false } })), "pass");
	});

	test("fast-apply needs a read like any other edit", () => {
		using project = new GuardedProject();
		project.put("new.ts", "x\n");
		const agent = new GuardedAgent(project);
		agent.call("apply_patch", { input: "" });
		assert.equal(fast(agent), "block");
		assert.deepEqual(project.verdicts(), ["block read-first new.ts"]);
	});
});

describe("the size of a read", () => {
	const long = Array.from({ length: 1_200 }, (_, i) => `line ${i + 1}`).join("\n");

	function setUp(canChangeInput: boolean, maxReadLines = 500) {
		const project = new GuardedProject();
		project.put("long.ts", long);
		project.put("short.ts", "x\n".repeat(500));
		const agent = new GuardedAgent(project, { canChangeInput, settings: { maxReadLines } });
		return { project, agent, [Symbol.dispose]: () => project[Symbol.dispose]() };
	}

	test("is cut where the host lets us, and says how to read on", () => {
		using at = setUp(true);
		const { text, notes } = at.agent.read("long.ts");
		assert.ok(text.startsWith("line 1\n") && text.includes("line 500\n\n[") && !text.includes("line 501"));
		assert.deepEqual(notes, [
			'long.ts has 1200 lines, and one read shows at most 500 (maxReadLines). This read shows lines 1–500; to read on, call read with {"path":"long.ts","offset":501,"limit":500}.',
		]);
		const second = at.agent.read("long.ts", { offset: 501, limit: 900 });
		assert.ok(second.text.startsWith("line 501\n") && second.text.includes("line 1000\n\n["));
		assert.deepEqual(at.agent.read("long.ts", { offset: 1_001 }).notes, []);
		assert.deepEqual(at.project.verdicts(), ["warn read-size long.ts", "warn read-size long.ts"]);
		assert.deepEqual(at.agent.edit("long.ts", "line 700\n", "x\n").notes, []);
	});

	test("is blocked with the exact call to make where the host does not", () => {
		using at = setUp(false);
		const { action, text } = at.agent.read("long.ts");
		assert.equal(action, "block");
		assert.equal(
			text,
			'long.ts has 1200 lines, and one read shows at most 500 (maxReadLines). Call read with {"path":"long.ts","offset":1,"limit":500}; then go on with "offset": 501.',
		);
		assert.equal(at.agent.read("long.ts", { offset: 1, limit: 500 }).action, "pass");
	});

	test("a read that ends within the limit is left alone, whatever it asks for", () => {
		using at = setUp(false);
		assert.equal(at.agent.read("short.ts").action, "pass");
		assert.equal(at.agent.read("short.ts", { limit: 9_000 }).action, "pass");
		assert.equal(at.agent.read("long.ts", { offset: 701 }).action, "pass");
		assert.equal(at.agent.read("nowhere.ts").action, "pass");
	});

	test("0 turns it off; pictures and binaries have no lines", () => {
		using at = setUp(false, 0);
		assert.equal(at.agent.read("long.ts").action, "pass");
		using other = setUp(false);
		other.project.put("p.png", "\n".repeat(900));
		other.project.put("b.bin", `\0${"\n".repeat(900)}`);
		assert.equal(other.agent.read("p.png").action, "pass");
		assert.equal(other.agent.read("b.bin").action, "pass");
	});

	test("is only written down in report mode", () => {
		using project = new GuardedProject();
		project.put("long.ts", long);
		const agent = new GuardedAgent(project, { settings: { policyMode: "report" } });
		const { text, notes } = agent.read("long.ts");
		assert.ok(text.endsWith("line 1200"));
		assert.deepEqual([notes, project.verdicts()], [[], ["warn read-size long.ts"]]);
	});
});
