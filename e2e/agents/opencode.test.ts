/**
 * The real opencode with weft's plugin, headless, against a scripted model: a long task with the planner's requests, a sub-agent, a
 * file that somebody else changes, weft's own process killed, a turn that is cut off, another process that goes on. Then what must hold.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { importTarget } from "../../src/agent/recorded/intake.ts";
import { openEngine } from "../../src/engine.ts";
import type { ModelAnswer, ModelRequest, ScriptedCall } from "../../test/rig/answer.ts";
import { epochStartsOf, installedCopy, type Ran, signalGroup } from "./agent-world.ts";
import { assertPairs, messagesOf } from "./epochs.ts";
import { expandAll, handlesIn, withTools } from "./every-byte.ts";
import { OpencodeWorld, resultOf } from "./opencode-world.ts";
import { recordedBy } from "./recorded.ts";

const FILES = {
	"ledger.mjs": "export const total = (rows) => rows.reduce((sum, row) => sum - row, 0);\n",
	"rates.mjs": "export const rate = 7;\nexport const floor = 1;\n",
	"check.mjs":
		'import { total } from "./ledger.mjs";\nif (total([1, 2]) !== 3) { console.error("total is", total([1, 2])); process.exit(1); }\nconsole.log("all is well");\n',
};
/** Half of the window that weft goes by, and what opencode adds by itself. */
const MAX_BYTES = 620_000;
const ROWS = 1_900;

const step = (call: ScriptedCall, more: ModelAnswer = {}): ModelAnswer => ({ ...more, toolCalls: [call] });

function assertDone({ code, out, err }: Ran, says: RegExp): void {
	assert.equal(code, 0, `${err.slice(-2_000)}\n${out.slice(-2_000)}`);
	assert.match(out, says);
}

describe("a long task in opencode with weft's plugin", () => {
	let world: OpencodeWorld;
	let calls: Awaited<ReturnType<typeof longTask>>;

	before(async () => {
		world = await OpencodeWorld.start(FILES);
		assertDone(await world.base.weft(["init", "opencode", "--yes"], world.env), /opencode: done, 2 files written/);
		calls = await longTask(world);
	});
	after(() => world?.base.close());

	test("each request extends the last until a seal; pairs and thinking are whole; all of them are bounded", () => {
		const { base, script, turns } = world;
		assert.equal(script.left, 0, "every step was asked for");
		assert.ok(turns.length >= 40, `${turns.length} requests`);
		assert.ok(!script.kinds.includes("compaction"), "opencode's own compaction stays away");
		const starts = epochStartsOf(turns.map(blocksOf));
		const seals = base.events("Seal").map(({ ts, payload }) => `${payload["why"]} ${ts}`);
		assert.ok(starts.length >= 2, `epochs begin at ${starts}`);
		assert.equal(starts.length, seals.length, `epochs begin at ${starts}, seals: ${seals}`);
		for (const request of turns) assertPairs(request);
		const thoughts = turns
			.flatMap(messagesOf)
			.flatMap(({ content }) => content.filter(({ type }) => type === "thinking"));
		assert.ok(thoughts.length > 10);
		for (const thought of thoughts) assert.match(JSON.stringify(thought), /"thinking":"I look.*"signature":"c2lnbmVk"/);
		const largest = Math.max(...turns.map(({ body }) => body.length));
		assert.ok(largest < MAX_BYTES, `the largest request has ${largest} bytes`);
		for (const at of starts) assert.match(JSON.stringify(messagesOf(turns[at]!)), /Put the ledger in order/);
		assert.deepEqual(base.holding(base.key), [], "nothing of the key is on weft's disk");
		assert.deepEqual(
			base.events("Fault").map(({ payload }) => payload["message"]),
			[],
		);
	});

	test("a file that somebody else changed is not edited unseen, and the agent gets the difference; so in a sub-agent", () => {
		assert.match(resultOf(world.turns, calls.unseen), /\+export const rate = 9/);
		assert.match(readFileSync(world.path("rates.mjs"), "utf8"), /rate = 10/);
		const agents = world.base.requests.filter(({ index }) => world.script.kinds[index] === "agent");
		assert.match(resultOf(agents, calls.unseenByAgent), /\+\/\/ by a person/);
		assert.match(resultOf(world.turns, calls.task), /The check is fine\./);
	});

	test("output that is too long was cut, and comes back whole", async () => {
		const shown = resultOf(world.turns, calls.long);
		const handle = /b-[0-9a-f]{12}/.exec(shown)?.[0];
		assert.ok(handle, shown.slice(0, 400));
		assert.ok(!shown.includes(`row ${ROWS / 2}\n`));
		const whole = Array.from({ length: ROWS }, (_, n) => `row ${n + 1}\n`).join("");
		assert.ok((await tools(world, (call) => expandAll(call, handle))).includes(whole.trimEnd()));
	});

	test("the agent itself finds with weft's tools what left its context", () => {
		assert.match(resultOf(world.turns, calls.grep), /all is well/);
	});

	test("every byte of the session, and of the sub-agent's, comes back through the MCP tools", async () => {
		const fetched = await tools(world, async (call) => {
			const found: string[] = [];
			for (const handle of handlesIn(world.base.project, world.base.home)) found.push(await expandAll(call, handle));
			return found.join("\n");
		});
		const rows = world.rows();
		assert.ok(rows.length > 150, `${rows.length} rows`);
		const missing = rows.filter((row) => !fetched.includes(row) && !fetched.includes(JSON.stringify(row).slice(1, -1)));
		assert.deepEqual(
			missing.map((row) => row.slice(0, 300)),
			[],
		);
	});

	test("what was recorded live is what an import gives", async () => {
		const { project, home, root } = world.base;
		const imported = openEngine({ cwd: project, host: "cli", home: join(root, "imported"), env: {} });
		const live = openEngine({ cwd: project, host: "cli", home, env: {}, readOnly: true });
		try {
			await importFile(world.database, { readers: READERS, logFor: () => importTarget(imported.log) });
			assert.deepEqual(recordedBy(live.log, PLANNED), recordedBy(imported.log, PLANNED));
		} finally {
			imported.close();
			live.close();
		}
	});

	test("with weft removed the session opens and goes on", async () => {
		const { base, env, script } = world;
		assertDone(await base.weft(["init", "opencode", "--undo"], env), /opencode: 2 files as before/);
		assert.ok(!existsSync(join(base.user, "config/opencode/plugin/weft.js")));
		script.add({ text: "The ledger was in order." });
		const before = world.turns.length;
		assertDone(await base.run("opencode", world.run("How does it stand?", calls.session), env), /was in order/);
		const next = world.turns[before]!;
		assertPairs(next);
		const offered = (next.json["tools"] as { name: string }[]).map(({ name }) => name);
		assert.deepEqual(
			offered.filter((name) => name.startsWith("weft")),
			[],
		);
		assert.match(JSON.stringify(messagesOf(next)[0]), /Put the ledger in order/);
		assert.match(next.body, /I look at the ledger first/, "the whole of it is sent again");
	});
});

test("with weft's data folder read-only opencode works as ever", async (t) => {
	const world = await OpencodeWorld.start(FILES);
	t.after(() => world.base.close());
	const { base, script } = world;
	assertDone(await base.weft(["init", "opencode", "--yes", "--home", join(base.root, "other")], world.env), /done/);
	base.lockHome();
	script.add(step(world.read("rates.mjs")), step(world.edit("rates.mjs", "rate = 7", "rate = 8")), { text: "Done." });
	assertDone(await base.run("opencode", world.run("Raise it"), world.env), /Done\./);
	assert.match(readFileSync(world.path("rates.mjs"), "utf8"), /rate = 8/);
	assert.deepEqual(readdirSync(base.home), []);
});

test("a weft that was removed lets everything pass, and opencode's screen says it once", async (t) => {
	const world = await OpencodeWorld.start(FILES);
	t.after(() => world.base.close());
	const { base, env, script } = world;
	const installed = installedCopy(t);
	const init = [join(installed, "dist/show/cli/main.js"), "init", "opencode", "--yes"];
	assertDone(await base.run(process.execPath, init, env), /done/);
	rmSync(installed, { recursive: true });
	const edit = world.edit("rates.mjs", "rate = 7", "rate = 8");
	script.add(step(world.read("rates.mjs")), step(edit), { text: "Done." }, step(world.read("rates.mjs")), {
		text: "Done.",
	});
	const [said, ...more] = await world.toasts("Raise it.", "Look again.");
	assert.match(said ?? "", /^weft does not answer.*'weft doctor'.*remove this plugin too/s);
	assert.deepEqual(more, []);
	assert.match(readFileSync(world.path("rates.mjs"), "utf8"), /rate = 8/);
});

test("in a project whose first Node on the PATH is too old, opencode's plugin and tools run by the Node of weft", async (t) => {
	const world = await OpencodeWorld.start(FILES);
	t.after(() => world.base.close());
	const { base, env, script } = world;
	assertDone(await base.weft(["init", "opencode", "--yes"], env), /done/);
	base.putOldNodeFirst();
	const edit = world.edit("rates.mjs", "rate = 7", "rate = 8");
	const ask = script.call("weft_lcm_grep", { query: "rate" });
	script.add(step(world.read("rates.mjs")), step(edit), step(ask), { text: "Done." });
	assertDone(await base.run("opencode", world.run("Raise it"), env), /Done\./);
	assert.ok(base.events("ToolResult").length >= 3);
	const offered = base.requests.flatMap(({ json }) => (json["tools"] as { readonly name: string }[] | undefined) ?? []);
	assert.ok(offered.some(({ name }) => name === "weft_lcm_grep"));
});

/** One by one: opencode joins what the user says to the results before it. */
function blocksOf(request: ModelRequest): unknown[] {
	return messagesOf(request).flatMap(({ role, content }) => content.map((block) => ({ role, ...block })));
}

/** Requests that the planner made. */
const PLANNED = new Set(["Request"]);

function tools<Answer>({ base, env }: OpencodeWorld, body: Parameters<typeof withTools<Answer>>[1]): Promise<Answer> {
	const given = { PATH: env["PATH"]!, HOME: base.user, XDG_DATA_HOME: env["XDG_DATA_HOME"]!, WEFT_HOME: base.home };
	return withTools({ command: process.execPath, args: [base.main, "mcp"], cwd: base.project, env: given }, body);
}

async function longTask(world: OpencodeWorld) {
	const { base, env, script } = world;
	let pid = 0;
	const run = (prompt: string, session?: string) =>
		base.run("opencode", world.run(prompt, session), env, (started) => {
			pid = started;
		});
	const reads = (from: number, n: number) => Array.from({ length: n }, (_, at) => step(world.read(`f${from + at}.js`)));
	const long = world.shell(`for i in $(seq 1 ${ROWS}); do echo row $i; done`);
	const grep = script.call("weft_lcm_grep", { query: "all is well" });
	const unseen = world.edit("rates.mjs", "floor = 1", "floor = 2");
	const unseenByAgent = world.edit("check.mjs", "all is well", "all is right");
	const prompt = "Look at check.mjs.";
	const task = script.call("task", { description: "looks at it", prompt, subagent_type: "general" });
	script.addForAgent(
		step(world.read("check.mjs")),
		() => {
			writeFileSync(world.path("check.mjs"), `${FILES["check.mjs"]}// by a person\n`);
			return step(unseenByAgent);
		},
		{ text: "The check is fine." },
	);
	script.add(
		step(world.read("ledger.mjs"), { thinking: "I look at the ledger first.", text: "I look." }),
		step(world.read("rates.mjs")),
		step(world.shell("node check.mjs")),
		step(world.edit("ledger.mjs", "sum - row", "sum + row")),
		step(world.shell("node check.mjs")),
		step(long),
		...reads(0, 5),
		() => {
			process.kill(hookProcess(pid), "SIGKILL");
			return step(world.read("f40.js"));
		},
		...reads(5, 13),
		step(grep),
		step(task),
		() => {
			writeFileSync(world.path("rates.mjs"), "export const rate = 9;\nexport const floor = 1;\n");
			return step(unseen);
		},
		step(world.edit("rates.mjs", "rate = 9", "rate = 10")),
		{ text: "The total is right now.", thinking: "I look whether all is done." },
	);
	const first = await run("Put the ledger in order. The rates stay as they are.");
	assertDone(first, /The total is right now\./);
	const session = /"sessionID":"([^"]+)"/.exec(first.out)![1]!;

	// A turn whose terminal is closed in the middle of an answer.
	script.add(step(world.shell("echo about to be cut off")), {
		text: "Never said.",
		midway: async () => {
			await pause(300);
			signalGroup(pid, "SIGKILL");
			await pause(1_000);
		},
	});
	await run("Count everything once more.", session);

	// The next seal comes while the agent writes.
	const writes = Array.from({ length: 13 }, (_, n) => {
		const content = `${`export const written_${n} = "a line of a new file";\n`.repeat(450)}`;
		return step(script.call("write", { filePath: world.path(`new${n}.js`), content }));
	});
	script.add(...reads(20, 5), ...writes, { text: "Everything is in order.", thinking: "I look whether all is done." });
	assertDone(await run("Go on where you were.", session), /Everything is in order\./);
	// weft's own process reads the last of it when opencode has ended.
	const isRead = () =>
		base.events("Message").some(({ payload }) => JSON.stringify(payload).includes("Everything is in order."));
	for (let n = 0; n < 100 && !isRead(); n++) await pause(200);
	return { session, long, grep, unseen, unseenByAgent, task };
}

/** weft's own, beside an opencode. */
function hookProcess(pid: number): number {
	const list = execFileSync("ps", ["--ppid", String(pid), "-o", "pid,args"], { encoding: "utf8" });
	return Number(/^\s*(\d+) .* hook opencode/m.exec(list)?.[1]);
}
