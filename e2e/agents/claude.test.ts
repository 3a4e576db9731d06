/**
 * The real Claude Code with weft's plugin, headless, against a scripted model: a long task with two compactions, a sub-agent, a
 * file that somebody else changes, a turn that is cut off, and another process that goes on. Then what must hold of it.
 */

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { filesOf } from "../../src/agent/claude-code/transcripts.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { importTarget } from "../../src/agent/recorded/intake.ts";
import { openEngine } from "../../src/engine.ts";
import { isA } from "../../src/log/event/types.ts";
import { ClaudeWorld } from "./claude-world.ts";
import { assertPairs, epochStarts, messagesOf } from "./epochs.ts";
import { type CallTool, expandAll, handlesIn, withTools } from "./every-byte.ts";
import { recordedBy } from "./recorded.ts";

const FULL = { input: 95_000, output: 50 };
const LARGE = Array.from({ length: 1_200 }, (_, n) => `entry ${n + 1}: ${"x".repeat(n % 40)}`).join("\n");
const FILES = {
	"src/ledger.js": "export const total = (rows) => rows.reduce((sum, row) => sum - row, 0);\n",
	"src/rates.js": "export const rate = 7;\nexport const floor = 1;\n",
	"check.js":
		'import { total } from "./src/ledger.js";\nif (total([1, 2]) !== 3) { console.error("total is", total([1, 2])); process.exit(1); }\nconsole.log("all is well");\n',
	"package.json": '{ "type": "module" }\n',
	"large.txt": LARGE,
};

describe("a long task in Claude Code with weft", () => {
	let world: ClaudeWorld;
	let session = "";

	before(async () => {
		world = await ClaudeWorld.start(FILES);
		session = await longTask(world);
	});
	after(() => world?.close());

	const main = () => world.requests.filter(({ index }) => world.script.kinds[index] === "step");

	test("took forty requests or more, and two compactions", () => {
		assert.ok(main().length >= 40, `${main().length} requests`);
		assert.equal(world.script.left, 0, "every step was asked for");
		assert.equal(world.script.kinds.filter((kind) => kind === "compaction").length, 2);
		assert.ok(world.script.kinds.includes("agent"));
	});

	test("each request extends the last within an epoch, with pairs and thinking whole", () => {
		const requests = main();
		const starts = epochStarts(requests);
		assert.equal(starts.length, 2, `epochs begin at ${starts}`);
		for (const request of requests) assertPairs(request);
		for (const request of requests) {
			for (const { content } of messagesOf(request))
				for (const block of content)
					if (block.type === "thinking")
						assert.match(JSON.stringify(block), /"thinking":"I look.*"signature":"c2lnbmVk"/);
		}
		const [largest, first] = [Math.max(...requests.map(({ body }) => body.length)), requests[0]!.body.length];
		assert.ok(largest < first + 130_000, `the largest request has ${largest} bytes, the first ${first}`);
	});

	test("a compaction is told to be brief, and the seed stands beside its summary", () => {
		const compactions = world.requests.filter(({ index }) => world.script.kinds[index] === "compaction");
		for (const { body } of compactions) assert.match(body, /Everything of this conversation is recorded/);
		const requests = main();
		for (const at of epochStarts(requests)) {
			const text = JSON.stringify(messagesOf(requests[at]!));
			assert.match(text, /The ledger is being put in order/);
			assert.match(text, /SessionStart:compact hook additional context|SessionStart hook additional context/);
			assert.match(text, /Put the ledger in order/, "what the user said");
			assert.match(text, /lcm_expand/);
		}
	});

	test("output that is too long was cut in its own shape, and a large read that fits was not", () => {
		const shown = JSON.stringify(main().map(messagesOf));
		assert.match(shown, /lines left out; lcm_expand\(\\"b-[0-9a-f]{12}/);
		assert.match(shown, /500\\tentry 500.*501\\tentry 501/);
	});

	test("a file that somebody else changed is not edited unseen, and the agent gets the difference", () => {
		const denied = main()
			.flatMap(messagesOf)
			.find(({ content }) => JSON.stringify(content).includes("+export const rate = 9"));
		assert.ok(denied, "the difference reached the model");
		assert.equal(
			readFileSync(world.path("src/rates.js"), "utf8"),
			"export const rate = 10;\nexport const floor = 1;\n",
		);
	});

	test("an edit whose text is not there gets the lines that are most like it", () => {
		assert.match(JSON.stringify(main().map(messagesOf)), /PostToolBatch.{0,60}\[weft\]/);
	});

	test("every byte of the session comes back through the MCP tools", async () => {
		await tools(world, session, async (call) => {
			const fetched: string[] = [];
			for (const handle of handlesIn(world.project, world.home)) fetched.push(await expandAll(call, handle));
			const all = fetched.join("\n");
			// What is not a message comes as the event that holds the line: as JSON, or as a text in it.
			const lines = filesOf(world.transcript(session)).flatMap(linesOf);
			const missing = lines.filter((line) => !all.includes(line) && !all.includes(JSON.stringify(line)));
			assert.deepEqual(
				missing.map((line) => line.slice(0, 200)),
				[],
			);
			const messages = lines.filter((line) => /"type":"(?:user|assistant)","/.test(line.slice(0, 4_000)));
			const exact = new Set(fetched);
			assert.ok(messages.length > 80, `${messages.length} messages`);
			assert.deepEqual(
				messages.filter((line) => "message" in JSON.parse(line) && !exact.has(line)).map((line) => line.slice(0, 200)),
				[],
			);
			const cut = /b-[0-9a-f]{12}/.exec(JSON.stringify(main().map(messagesOf)))?.[0];
			assert.match(await expandAll(call, cut!), /^row 1\nrow 2\n[\s\S]*row 2999\nrow 3000$/);
		});
	});

	test("what was recorded live is what an import gives", async () => {
		const files = filesOf(world.transcript(session));
		const imported = openEngine({ cwd: world.project, host: "cli", home: join(world.root, "imported"), env: {} });
		const live = openEngine({ cwd: world.project, host: "cli", home: world.home, env: {}, readOnly: true });
		try {
			for (const file of files) await importFile(file, { readers: READERS, logFor: () => importTarget(imported.log) });
			assert.deepEqual(recordedBy(live.log), recordedBy(imported.log));
			const seals = [...live.log.read({ types: ["Seal"] })].filter((record) => isA(record, "Seal"));
			assert.deepEqual(
				seals.map(({ payload }) => payload.why),
				["host-threshold", "host-threshold"],
			);
			assert.deepEqual(
				[...live.log.read({ types: ["Fault"] })].map(({ payload }) => payload),
				[],
			);
		} finally {
			imported.close();
			live.close();
		}
	});

	test("nothing of the key is in the log or on weft's disk", () => {
		const engine = openEngine({ cwd: world.project, host: "cli", home: world.home, env: {}, readOnly: true });
		try {
			for (const record of engine.log.read({ everything: true }))
				assert.ok(!JSON.stringify(record.payload).includes(world.key));
		} finally {
			engine.close();
		}
		for (const name of readdirSync(world.home, { recursive: true, withFileTypes: true })) {
			if (name.isFile()) assert.ok(!readFileSync(join(name.parentPath, name.name)).includes(world.key), name.name);
		}
	});

	test("with weft removed the session opens and goes on", async () => {
		const claude = world.open({ weft: false, resume: session });
		world.script.add({ text: "The ledger was in order." });
		const { result, is_error } = await claude.turn("How does it stand?");
		assert.deepEqual([result, is_error], ["The ledger was in order.", false]);
		assert.equal(await claude.end(), 0);
		const last = main().at(-1)!;
		assertPairs(last);
	});
});

test("with weft's data folder read-only Claude Code works as ever", async (t) => {
	const world = await ClaudeWorld.start({ "a.txt": "one\ntwo\n" });
	t.after(() => world.close());
	mkdirSync(world.home, { mode: 0o555 });
	const as = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
	if (as) world.giveTo(as);
	const { script } = world;
	script.add(
		{ toolCalls: [script.call("Read", { file_path: world.path("a.txt") })] },
		{ toolCalls: [script.call("Edit", { file_path: world.path("a.txt"), old_string: "two", new_string: "2" })] },
		{ text: "Done." },
	);
	const claude = world.open({ as });
	const { result, is_error } = await claude.turn("Change it");
	assert.deepEqual([result, is_error], ["Done.", false], claude.told);
	assert.equal(await claude.end(), 0);
	assert.equal(readFileSync(world.path("a.txt"), "utf8"), "one\n2\n");
	assert.deepEqual(readdirSync(world.home), []);
});

/** Returns the id of the session. */
async function longTask(world: ClaudeWorld): Promise<string> {
	const { script } = world;
	const use = (name: string, args: Readonly<Record<string, unknown>>, more: object = {}) => ({
		toolCalls: [script.call(name, args)],
		...more,
	});
	const bash = (command: string, more: object = {}) => use("Bash", { command, description: "runs it" }, more);
	const read = (name: string, more: object = {}) => use("Read", { file_path: world.path(name) }, more);
	const edit = (name: string, old_string: string, new_string: string) =>
		use("Edit", { file_path: world.path(name), old_string, new_string });
	const counts = (name: string, n: number) =>
		Array.from({ length: n }, (_, at) => bash(`echo ${name} ${at + 1}; seq 1 40`));

	script.add(
		{ ...read("src/ledger.js"), thinking: "I look at the ledger first.", text: "I look." },
		read("src/rates.js"),
		bash("node check.js"),
		edit("src/ledger.js", "sum - row", "sum + row"),
		bash("node check.js"),
		bash("for i in $(seq 1 3000); do echo row $i; done"),
		read("large.txt", { thinking: "I look at the large one." }),
		edit("src/ledger.js", "rows.reduce((sum, line) => sum + line, 0)", "0"),
		...counts("first", 4),
		bash("echo before the first seal", { usage: FULL }),
		use("mcp__plugin_weft_log__lcm_grep", { query: "all is well" }),
		...counts("second", 4),
		{ text: "The total is right now.", thinking: "I look whether all is done." },
	);
	const first = world.open();
	const one = await first.turn("Put the ledger in order. The rates stay as they are.");
	assert.equal(one.is_error, false, first.told);
	const session = one.session_id!;

	script.addForAgent(read("src/rates.js"), { text: "The rate is seven." });
	script.add(
		use("Agent", {
			description: "reads the rates",
			prompt: "What is the rate in src/rates.js?",
			subagent_type: "general-purpose",
		}),
		...counts("third", 5),
		{ text: "The sub-agent says seven." },
	);
	assert.equal((await first.turn("Ask somebody else for the rate.")).is_error, false);

	writeFileSync(world.path("src/rates.js"), "export const rate = 9;\nexport const floor = 1;\n");
	script.add(
		use("Write", {
			file_path: world.path("src/rates.js"),
			content: "export const rate = 8;\nexport const floor = 1;\n",
		}),
		edit("src/rates.js", "export const rate = 9;", "export const rate = 10;"),
		{ text: "It is ten now." },
	);
	assert.equal((await first.turn("Raise the rate by one.")).is_error, false);

	// A turn that is cut off in the middle of an answer. Claude Code writes its transcript a moment later than it asks.
	const before = world.requests.length;
	const cutOff = bash("echo about to be cut off");
	script.add(cutOff, { text: "Never said.", delayMs: 12_000 });
	first.send("Count everything once more.");
	const isWritten = () =>
		readFileSync(world.transcript(session), "utf8").includes(`"tool_use_id":"${cutOff.toolCalls[0]!.id}"`);
	while (world.requests.length < before + 2 || !isWritten()) await new Promise((resolve) => setTimeout(resolve, 100));
	await first.kill("SIGKILL");

	const second = world.open({ resume: session });
	script.add(
		...counts("fourth", 5),
		bash("echo before the second seal", { usage: FULL }),
		...counts("fifth", 4),
		use("mcp__plugin_weft_log__decide", { decision: "The rate is ten", rationale: "the user raised it" }),
		{ text: "Everything is in order." },
	);
	const last = await second.turn("Go on where you were.");
	assert.equal(last.is_error, false, second.told);
	assert.equal(last.session_id, session);
	assert.equal(await second.end(), 0);
	return session;
}

/** The server as the next session would start it: it reads in what the last one missed. */
function tools<Answer>(
	world: ClaudeWorld,
	session: string,
	body: (call: CallTool) => Promise<Answer>,
): Promise<Answer> {
	const [command, ...args] = world.weft;
	const env = { PATH: process.env["PATH"] ?? "", HOME: world.user, CLAUDE_CONFIG_DIR: world.config };
	const told = { CLAUDE_PROJECT_DIR: world.project, CLAUDE_CODE_SESSION_ID: session };
	const start = { command, args: [...args, "mcp"], cwd: world.project, env: { ...env, ...told } };
	return withTools(start, async (call) => {
		await call("lcm_describe", { section: "overview" });
		return body(call);
	});
}

function linesOf(file: string): string[] {
	return readFileSync(file, "utf8")
		.split("\n")
		.filter((line) => line !== "");
}
