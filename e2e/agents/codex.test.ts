/**
 * The real Codex with weft, headless, against a scripted model. A long task behind the proxy with weft's hooks, trusted as Codex
 * stores it: compaction by text, the proxy killed in the middle of an answer, a sub-agent, a file that somebody else changes, a turn
 * that is cut off, another process that goes on. Then compaction by an opaque item, and a data folder that cannot be written.
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { importTarget } from "../../src/agent/recorded/intake.ts";
import { openEngine } from "../../src/engine.ts";
import type { ModelAnswer, ScriptedCall } from "../../test/rig/answer.ts";
import { epochStartsOf, proxyOf, type Ran, signalGroup } from "./agent-world.ts";
import { assertWhole, CodexWorld, itemsOf, outputOf } from "./codex-world.ts";
import { expandAll, handlesIn, withTools } from "./every-byte.ts";
import { recordedBy } from "./recorded.ts";

const FILES = {
	"ledger.mjs": "export const total = (rows) => rows.reduce((sum, row) => sum - row, 0);\n",
	"rates.mjs": "export const rate = 7;\nexport const floor = 1;\n",
	"check.mjs":
		'import { total } from "./ledger.mjs";\nif (total([1, 2]) !== 3) { console.error("total is", total([1, 2])); process.exit(1); }\nconsole.log("all is well");\n',
};
/** Half of the window that weft goes by, and what Codex adds by itself. */
const MAX_BYTES = 620_000;

const step = (call: ScriptedCall, more: ModelAnswer = {}): ModelAnswer => ({ ...more, toolCalls: [call] });

function assertDone({ code, out, err }: Ran, says: RegExp): void {
	assert.equal(code, 0, `${err.slice(-2_000)}\n${out.slice(-2_000)}`);
	assert.match(out, says);
}

function assertSealed({ base, script, turns }: CodexWorld): void {
	assert.equal(script.left, 0, "every step was asked for");
	assert.ok(turns.length >= 40, `${turns.length} requests`);
	assert.ok(!script.kinds.includes("compaction"), "nobody but us wrote a summary");
	const starts = epochStartsOf(turns.map(itemsOf));
	const seals = base.events("Seal").map(({ ts, payload }) => `${payload["why"]} ${ts}`);
	assert.ok(starts.length >= 2, `epochs begin at ${starts}`);
	assert.equal(starts.length, seals.length, `epochs begin at ${starts}, seals: ${seals}`);
	for (const request of turns) assertWhole(request);
	const largest = Math.max(...turns.map(({ body }) => body.length));
	assert.ok(largest < MAX_BYTES, `the largest request has ${largest} bytes`);
	assert.deepEqual(base.holding(base.key), [], "nothing of the key is on the disk");
	const faults = base.events("Fault").map(({ payload }) => payload["message"]);
	assert.deepEqual(faults, []);
}

describe("a long task in Codex with weft's hooks, behind the proxy", () => {
	let world: CodexWorld;
	let doctor = ["", ""];
	let calls: Awaited<ReturnType<typeof longTask>>;

	before(async () => {
		world = await CodexWorld.start(FILES);
		const { base, env } = world;
		world.configureLab();
		assertDone(await base.weft(["init", "codex", "--yes"], env), /Codex: done, 3 files written\.[\s\S]*Trust all/);
		const untrusted = await base.weft(["doctor"], env);
		assert.deepEqual(await world.trustHooks(), Array(6).fill("trusted"));
		doctor = [untrusted.out, (await base.weft(["doctor"], env)).out];
		calls = await longTask(world);
	});
	after(() => world?.base.close());

	test("each request extends the last until a seal; pairs and reasoning are whole; all of them are bounded", () => {
		assertSealed(world);
		const reasoning = world.turns.flatMap(itemsOf).filter(({ type }) => type === "reasoning");
		assert.ok(reasoning.length > 10);
		assert.equal(new Set(reasoning.map((item) => JSON.stringify(item))).size, 2, "two thoughts, sent back unchanged");
	});

	test("doctor says whether the hooks are trusted", () => {
		assert.match(doctor[0]!, /hooks are not trusted yet/);
		assert.match(doctor[1]!, /hooks are trusted/);
	});

	test("an edit that still fits a file which somebody else changed passes, and the agent gets the difference", () => {
		assert.match(JSON.stringify(world.turns.map(itemsOf)), /\+export const rate = 9/);
		assert.equal(readFileSync(world.path("rates.mjs"), "utf8"), "export const rate = 10;\nexport const floor = 2;\n");
	});

	test("output that is too long was cut, and comes back whole", async () => {
		const shown = outputOf(world.turns, calls.long);
		assert.match(shown, /left out/);
		assert.ok(!shown.includes("row 1500\n"));
		const handle = /b-[0-9a-f]{12}/.exec(shown)?.[0];
		assert.ok(handle, shown.slice(0, 400));
		assert.match(
			await tools(world, (call) => expandAll(call, handle)),
			/row 1\r?\n[\s\S]*row 1500\r?\n[\s\S]*row 3000/,
		);
	});

	test("the agent itself finds with weft's tools what left its context", () => {
		assert.match(outputOf(world.turns, calls.grep), /all is well/);
	});

	test("every byte of the session, and of the sub-agent's, comes back through the MCP tools", async () => {
		const fetched = await tools(world, async (call) => {
			const found: string[] = [];
			for (const handle of handlesIn(world.base.project, world.base.home)) found.push(await expandAll(call, handle));
			return found.join("\n");
		});
		assert.equal(world.rollouts.length, 2);
		const missing = world.lines().filter((line) => !fetched.includes(line) && !fetched.includes(JSON.stringify(line)));
		assert.deepEqual(
			missing.map((line) => line.slice(0, 200)),
			[],
		);
	});

	test("what was recorded live is what an import gives", async () => {
		const { project, home, root } = world.base;
		const imported = openEngine({ cwd: project, host: "cli", home: join(root, "imported"), env: {} });
		const live = openEngine({ cwd: project, host: "cli", home, env: {}, readOnly: true });
		try {
			for (const file of world.rollouts)
				await importFile(file, { readers: READERS, logFor: () => importTarget(imported.log) });
			assert.deepEqual(recordedBy(live.log, SEEN_BY_THE_PROXY), recordedBy(imported.log, SEEN_BY_THE_PROXY));
		} finally {
			imported.close();
			live.close();
		}
	});

	test("with weft removed the session opens and goes on", async () => {
		const { base, env, script } = world;
		assertDone(await base.weft(["init", "codex", "--undo"], env), /Codex: 3 files as before/);
		assert.ok(!existsSync(join(world.home, "hooks.json")));
		assert.doesNotMatch(readFileSync(join(world.home, "config.toml"), "utf8"), /mcp_servers/);
		script.add({ text: "The ledger was in order." });
		const before = world.turns.at(-1)!;
		assertDone(await base.run("codex", world.exec("How does it stand?", calls.session), env), /was in order/);
		assert.deepEqual(epochStartsOf([before, world.turns.at(-1)!].map(itemsOf)), [], "it extends what was sent last");
	});
});

/** Requests, and the one usage figure that is not true. */
const SEEN_BY_THE_PROXY = new Set(["Request", "UsageRaised"]);

function threadOf({ out }: Ran): string {
	return /"thread_id":"([^"]+)"/.exec(out)![1]!;
}

function tools<Answer>({ base, env }: CodexWorld, body: Parameters<typeof withTools<Answer>>[1]): Promise<Answer> {
	const given = { PATH: env["PATH"]!, HOME: base.user, CODEX_HOME: env["CODEX_HOME"]!, WEFT_HOME: base.home };
	const args = [base.main, "mcp"];
	return withTools({ command: process.execPath, args, cwd: base.project, env: given }, body);
}

async function longTask(world: CodexWorld) {
	const { base, env, script } = world;
	let pid = 0;
	const run = (prompt: string, session?: string) =>
		base.weft(["run", "codex", "--", ...world.exec(prompt, session)], env, (started) => {
			pid = started;
		});
	const reads = (from: number, n: number) => Array.from({ length: n }, (_, at) => step(world.read(`f${from + at}.js`)));
	const long = world.shell("for i in $(seq 1 3000); do echo row $i; done");
	const grep = script.call("lcm_grep", { query: "all is well" }, { namespace: "mcp__weft" });
	const killProxy: ModelAnswer = {
		...step(world.read("f40.js")),
		midway: async () => {
			await pause(150);
			process.kill(proxyOf(pid, base)!, "SIGKILL");
		},
	};
	const unseen = world.patch("rates.mjs", "export const floor = 1;", "export const floor = 2;");
	const spawned = script.call("spawn_agent", { message: "What is the rate?" }, { namespace: "multi_agent_v1" });
	script.addForAgent(step(world.read("rates.mjs")), { text: "The rate is seven." });
	script.add(
		step(world.read("ledger.mjs"), { thinking: "I look at the ledger first.", text: "I look." }),
		step(world.read("rates.mjs")),
		step(world.shell("node check.mjs")),
		step(
			world.patch(
				"ledger.mjs",
				FILES["ledger.mjs"].trimEnd(),
				FILES["ledger.mjs"].trimEnd().replace("sum - row", "sum + row"),
			),
		),
		step(world.shell("node check.mjs")),
		step(long),
		...reads(0, 6),
		killProxy,
		...reads(6, 13),
		step(grep),
		step(spawned),
		(request) => {
			const { agent_id } = JSON.parse(outputOf([request], spawned));
			return step(
				script.call("wait_agent", { targets: [agent_id], timeout_ms: 30_000 }, { namespace: "multi_agent_v1" }),
			);
		},
		() => {
			writeFileSync(world.path("rates.mjs"), "export const rate = 9;\nexport const floor = 1;\n");
			return step(unseen);
		},
		step(world.patch("rates.mjs", "export const rate = 9;", "export const rate = 10;")),
		{ text: "The total is right now.", thinking: "I look whether all is done." },
	);
	const first = await run("Put the ledger in order. The rates stay as they are.");
	assertDone(first, /The total is right now\./);
	const session = threadOf(first);

	// A turn that is cut off by Ctrl-C in the middle of an answer.
	script.add(step(world.shell("echo about to be cut off")), {
		text: "Never said.",
		midway: async () => {
			await pause(300);
			signalGroup(pid, "SIGINT");
			await pause(3_000);
		},
	});
	await run("Count everything once more.", session);

	script.add(...reads(20, 16), { text: "Everything is in order.", thinking: "I look whether all is done." });
	assertDone(await run("Go on where you were.", session), /Everything is in order\./);
	return { session, long, grep };
}

test("Codex, compaction by an opaque item: the provider gets the seed in its place, in another process too", async (t) => {
	const world = await CodexWorld.start();
	const { base, env, script } = world;
	t.after(() => base.close());
	world.configure([`openai_base_url = "${base.url}/v1"`]);
	const run = (more: readonly string[], prompt: string, session?: string) =>
		base.weft(["run", "codex", ...more, "--", ...world.exec(prompt, session)], env);
	const seal = ["--opaque-seals"];
	const reads = (from: number, to: number) =>
		Array.from({ length: to - from }, (_, at) =>
			step(world.read(`f${from + at}.js`), at % 5 === 0 ? { thinking: "I look at the next ones." } : {}),
		);
	script.add(...reads(0, 24), { text: "Half of it was read." }, ...reads(24, 39), { text: "All of it was read." });
	const first = await run(seal, "Read all of it.");
	assertDone(first, /Half of it was read\./);
	assert.match(first.err, /only with weft/);
	const session = threadOf(first);
	assertDone(await run(seal, "Go on.", session), /All of it was read\./);
	assertSealed(world);
	// Not asked for any more: there are no new ones, and what was sealed is read.
	script.add({ text: "Nothing is left." });
	assertDone(await run([], "What is left?", session), /Nothing is left\./);
	assert.match(base.requests.at(-1)!.body, /The work so far, computed from the log/);
	assert.ok(!base.requests.some(({ body }) => body.includes("weft-seed.")), "no item of ours reached the provider");
	const after = world.turns[epochStartsOf(world.turns.map(itemsOf))[0]!]!;
	assert.match(after.body, /The work so far, computed from the log/);
});

test("Codex with its built-in provider: what begins with weft goes on without it, and the other way round", async (t) => {
	const world = await CodexWorld.start({ "a.txt": "one\n" });
	const { base, env, script } = world;
	t.after(() => base.close());
	world.configure([`openai_base_url = "${base.url}/v1"`]);
	const bare = (args: string[]) => base.run("codex", args, env);
	const withWeft = (args: string[]) => base.weft(["run", "codex", "--", ...args], env);
	const last = (prompt: string) => world.exec(prompt, "--last");
	const goesOn = async (ran: Promise<Ran>, { thread, holds }: { thread: string; holds: string }) => {
		const done = await ran;
		assertDone(done, /Said\./);
		assert.equal(threadOf(done), thread);
		assert.ok(base.requests.at(-1)!.body.includes(holds), `the request holds ${holds}`);
	};
	script.add({ toolCalls: [world.read("a.txt")] }, ...Array.from({ length: 6 }, () => ({ text: "Said." })));

	const begun = await withWeft(world.exec("PLATYPUS"));
	assertDone(begun, /Said\./);
	assert.match(begun.err, /weft: built-in provider: recorded, not sealed/);
	const first = { thread: threadOf(begun), holds: "PLATYPUS" };
	await goesOn(bare(world.exec("By its name.", first.thread)), first);
	await goesOn(bare(last("The last one.")), first);
	await goesOn(withWeft(last("The last one, with weft.")), first);

	const second = { thread: threadOf(await bare(world.exec("KOALA"))), holds: "KOALA" };
	assert.notEqual(second.thread, first.thread);
	await goesOn(withWeft(last("The last one, with weft.")), second);
	assert.ok(world.lines().every((line) => !/"model_provider":"(?!openai")/.test(line)));
	assert.ok(base.events("Request").length >= 3, "what passed is recorded");
	assert.deepEqual(base.events("UsageRaised"), []);
});

test("with weft's data folder read-only Codex works as ever, with hooks, server and proxy", async (t) => {
	const world = await CodexWorld.start(FILES);
	const { base, env, script } = world;
	t.after(() => base.close());
	world.configureLab();
	assertDone(await base.weft(["init", "codex", "--yes", "--home", join(base.root, "other")], env), /done/);
	// As if it had been installed for the folder that is read-only now.
	const hooks = join(world.home, "hooks.json");
	writeFileSync(hooks, readFileSync(hooks, "utf8").replaceAll(join(base.root, "other"), base.home));
	assert.deepEqual(await world.trustHooks(), Array(6).fill("trusted"));
	base.lockHome();
	script.add(
		step(world.read("rates.mjs")),
		step(world.patch("rates.mjs", "export const rate = 7;", "export const rate = 8;")),
		{ text: "Done." },
	);
	assertDone(await base.weft(["run", "codex", "--", ...world.exec("Raise it.")], env), /Done\./);
	assert.match(readFileSync(world.path("rates.mjs"), "utf8"), /rate = 8/);
	assert.deepEqual(readdirSync(base.home), []);
});

test("weft init codex in settings of every spelling: Codex starts with what was written, or nothing was", async (t) => {
	const world = await CodexWorld.start();
	const { base, env } = world;
	t.after(() => base.close());
	const config = join(world.home, "config.toml");
	const cases = [
		['mcp_servers = { other = { command = "x" } }', /Add this by hand: weft = \{ command/],
		["broken = [", /Codex cannot read .*line 1/],
		['[mcp_servers]\nweft = { command = "old" }', undefined],
		['[mcp_servers."weft"]\ncommand = "old"', undefined],
		['mcp_servers.weft.command = "old"', undefined],
		['x = """\n[mcp_servers.weft]\n"""', undefined],
	] as const;
	for (const [text, refused] of cases) {
		writeFileSync(config, `${text}\n`);
		const { code, out, err } = await base.weft(["init", "codex", "--yes"], env);
		if (refused) assert.match(err, refused);
		assert.equal(/names another server 'weft'/.test(out), text.includes('"old"'), `${text}: ${out}`);
		if (text.includes('"old"')) assert.match((await base.weft(["doctor"], env)).out, /no lcm_ tools/);
		assert.equal(code === 0, refused === undefined, `${text}: ${out}${err}`);
		if (refused) assert.equal(readFileSync(config, "utf8"), `${text}\n`);
		else assert.match((await base.run("codex", ["mcp", "get", "weft"], env)).out, /weft/, text);
		await base.weft(["init", "codex", "--undo"], env);
		assert.equal(readFileSync(config, "utf8"), `${text}\n`);
	}
});
