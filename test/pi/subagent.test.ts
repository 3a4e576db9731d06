/** The tool `subagent` in the real Pi: a child with a context of its own, on the wire and in the log. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openEngine } from "../../src/engine.ts";
import { withSideChains } from "../../src/state/session/find-session.ts";
import type { ModelAnswer, ModelRequest } from "../rig/answer.ts";
import { runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { makePiWorkspace, sessionFiles } from "../rig/workspace.ts";
import { readLog } from "./log.ts";
import { allText, messagesOf, resultsIn, textIn } from "./wire.ts";

const FILES = { "MEMORY.md": "## Facts\n\n- The relay listens on port 7443.\n" };
const isChild = (request: ModelRequest) => textIn(messagesOf(request)[0]!.content).includes("Task:");

test("a child works on its task alone or with memory, answers its parent, and is a side chain of it in the log", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const call = (id: string, more: object) => ({
		toolCalls: [{ id, name: "subagent", args: { task: "find the relay port", ...more } }],
	});
	const parent: ModelAnswer[] = [
		call("s1", {}),
		call("s2", { contextMode: "contextual", tools: ["read", "bash"] }),
		{ text: "both agree" },
	];
	const child: ModelAnswer[] = [
		{ toolCalls: [{ id: "c1", name: "bash", args: { command: "echo looked" } }] },
		{ text: "It is 7443." },
		{ text: "Still 7443." },
	];
	const script = (request: ModelRequest) => (isChild(request) ? child : parent).shift() ?? { text: "?" };
	const run = await runPi({ workspace, extensions: [WEFT_EXTENSION], script, prompts: ["Ask somebody else."] });
	assert.deepEqual([run.stdout.trim(), run.stderr], ["both agree", ""]);
	const results = resultsIn(run.requests.at(-1)!);
	assert.deepEqual([results.get("s1"), results.get("s2")], ["It is 7443.", "Still 7443."]);
	const [alone, , told] = run.requests.filter(isChild);
	assert.equal(textIn(messagesOf(alone!)[0]!.content), "Task: find the relay port");
	assert.match(
		allText(told!),
		/<runtime_context>[\s\S]*port 7443\.[\s\S]*<user_message>\nTask: find the relay port\n<\/user_message>/,
	);
	const tools = (alone!.json["tools"] as { name: string }[]).map(({ name }) => name);
	assert.deepEqual([tools.includes("subagent"), tools.includes("lcm_grep")], [false, true]);
	const few = (told!.json["tools"] as { name: string }[]).map(({ name }) => name);
	assert.deepEqual(few.toSorted(), ["bash", "read"]);

	const [first, second] = readLog(workspace, { types: ["Subagent"] });
	assert.deepEqual([first!.payload["callId"], second!.payload["callId"]], ["s1", "s2"]);
	const { project, home } = workspace;
	const engine = openEngine({ cwd: project, host: "test", home, env: {}, readOnly: true });
	try {
		const sides = withSideChains(engine.log, first!.session);
		assert.deepEqual(sides.sort(), [first!.session, first!.payload["child"], second!.payload["child"]].sort());
		const ran = [...engine.log.read({ types: ["CommandRun"], session: String(first!.payload["child"]) })];
		assert.equal(ran[0]?.payload["command"], "echo looked");
	} finally {
		engine.close();
	}
	assert.equal(sessionFiles(workspace).length, 1, "a child leaves no session file");
	assert.deepEqual(readLog(workspace, { types: ["Fault"] }), []);
});

test("a file names a sub-agent's role, tools and memory; an unknown name and a bad file are answered with why", async () => {
	const reader = "---\ntools: read\nmemory: relevant\n---\nYou only read. Answer in one line.\n";
	using workspace = makePiWorkspace({ files: FILES });
	const folder = join(workspace.agentDir, "agents");
	mkdirSync(folder);
	writeFileSync(join(folder, "reader.md"), reader);
	writeFileSync(join(folder, "broken.md"), "---\ntools: 7\n---\nNo.\n");
	const call = (id: string, more: object) => ({
		toolCalls: [{ id, name: "subagent", args: { task: "find the relay port", ...more } }],
	});
	const parent: ModelAnswer[] = [
		call("s1", { agent: "reader", tools: "bash" }),
		call("s2", { agent: "writer" }),
		call("s3", { agent: "broken" }),
		{ text: "done" },
	];
	const script = (request: ModelRequest) =>
		isChild(request) ? { text: "It is 7443." } : (parent.shift() ?? { text: "?" });
	const run = await runPi({ workspace, extensions: [WEFT_EXTENSION], script, prompts: ["Ask somebody else."] });
	const results = resultsIn(run.requests.at(-1)!);
	assert.equal(results.get("s1"), "It is 7443.");
	assert.match(results.get("s2")!, /There is no sub-agent 'writer'\. There are: broken, reader\./);
	assert.match(results.get("s3")!, /broken\.md:2: 'tools' must be a text or a list/);
	const [child, ...others] = run.requests.filter(isChild);
	assert.equal(others.length, 0);
	assert.deepEqual(
		(child!.json["tools"] as { name: string }[]).map(({ name }) => name),
		["read"],
	);
	assert.match(JSON.stringify(child!.json), /You only read\. Answer in one line\./);
	assert.match(allText(child!), /port 7443/);
});
