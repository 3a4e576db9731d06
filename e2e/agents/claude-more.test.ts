/** The real Claude Code with weft's plugin: what the long task does not try. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { claudePluginFiles, PLUGIN_FOLDER } from "../../src/agent/claude-code/setup-plugin.ts";
import { AgentWorld } from "./agent-world.ts";
import { ClaudeWorld } from "./claude-world.ts";
import { messagesOf } from "./epochs.ts";

const notebook = (source: string) =>
	JSON.stringify({
		cells: [{ cell_type: "code", id: "c1", execution_count: null, metadata: {}, outputs: [], source: [source] }],
		metadata: { language_info: { name: "python" } },
		nbformat: 4,
		nbformat_minor: 5,
	});

test("a notebook that somebody else changed is not edited unseen", async (t) => {
	const world = await ClaudeWorld.start({ "n.ipynb": notebook("print('one')") });
	t.after(() => world.close());
	const { script } = world;
	const notebook_path = world.path("n.ipynb");
	script.add(
		{ toolCalls: [script.call("ToolSearch", { query: "select:NotebookEdit" })] },
		{ toolCalls: [script.call("Read", { file_path: notebook_path })] },
		() => {
			world.write("n.ipynb", notebook("print('theirs')"));
			return {
				toolCalls: [script.call("NotebookEdit", { notebook_path, cell_id: "c1", new_source: "print('mine')" })],
			};
		},
		{ text: "Done." },
	);
	const claude = world.open();
	assert.equal((await claude.turn("Change the notebook")).result, "Done.", claude.told);
	assert.equal(await claude.end(), 0);
	const results = messagesOf(world.requests.at(-1)!).flatMap(({ content }) =>
		content.filter(({ type }) => type === "tool_result").map((block) => JSON.stringify(block)),
	);
	// The program refuses it by itself, before it asks any hook.
	assert.match(results.at(-1)!, /has been modified since read|has changed on disk/);
	assert.match(readFileSync(notebook_path, "utf8"), /theirs/);
});

test("a weft that was removed lets everything pass without an error, and that is said once", async (t) => {
	const world = await AgentWorld.start("claude", ({ json }) => {
		const isAsked = JSON.stringify(json["messages"]).includes("tool_result");
		if (isAsked) return { text: "Done." };
		return { toolCalls: [{ id: "call_1", name: "Read", args: { file_path: join(world.project, "f1.js") } }] };
	});
	t.after(() => world.close());
	const plugin = join(world.root, "plugin");
	for (const { path, text } of claudePluginFiles(["/nowhere/weft"])) {
		mkdirSync(dirname(join(plugin, path)), { recursive: true });
		writeFileSync(join(plugin, path), text);
	}
	const env = world.claudeEnv();
	const stream = ["--output-format", "stream-json", "--verbose", "--include-hook-events"];
	const args = ["--plugin-dir", join(plugin, PLUGIN_FOLDER), ...stream, "--allowedTools", "Read"];
	const first = await world.run("claude", ["-p", "read it", ...args], env);
	assert.equal(first.code, 0, first.err);
	assert.match(first.out, /Done\./);
	assert.match(first.out, /weft is not installed any more/);
	const again = await world.run("claude", ["-c", "-p", "once more", ...args], env);
	assert.equal(again.code, 0, again.err);
	assert.doesNotMatch(again.out, /weft is not installed any more/);
	assert.doesNotMatch(`${first.out}${again.out}`, /hook-error|hook_no_verdict|not connected/);
});

test("in a project whose first Node on the PATH is too old, the plugin's weft runs by another", async (t) => {
	const world = await AgentWorld.start("claude", ({ json }) => {
		const isAsked = JSON.stringify(json["messages"]).includes("tool_result");
		if (isAsked) return { text: "Done." };
		return { toolCalls: [{ id: "call_1", name: "Read", args: { file_path: join(world.project, "f1.js") } }] };
	});
	t.after(() => world.close());
	world.putOldNodeFirst();
	symlinkSync(world.main, join(world.root, "bin", "weft"));
	const plugin = join(world.root, "plugin");
	for (const { path, text } of claudePluginFiles(["weft"])) {
		mkdirSync(dirname(join(plugin, path)), { recursive: true });
		writeFileSync(join(plugin, path), text);
	}
	const env = world.claudeEnv();
	const stream = ["--output-format", "stream-json", "--verbose", "--include-hook-events"];
	const args = ["--plugin-dir", join(plugin, PLUGIN_FOLDER), ...stream, "--allowedTools", "Read"];
	const { code, out, err } = await world.run("claude", ["-p", "read it", ...args], env);
	assert.equal(code, 0, err);
	assert.doesNotMatch(out, /hook-error|hook_no_verdict|not connected/);
	assert.equal(world.events("FileRead").length, 1);
});

/** The call that finds the server dead fails in Claude Code itself. */
test("a server that dies in the middle of a session is started again, and answers the call after that", async (t) => {
	const world = await ClaudeWorld.start({ "a.txt": "lantern\n" });
	t.after(() => world.close());
	const { script } = world;
	const grep = () => script.call("mcp__plugin_weft_log__lcm_grep", { query: "lantern" });
	const servers = () => serversIn(world.root);
	let killed: number[] = [];
	script.add(
		{ toolCalls: [script.call("Read", { file_path: world.path("a.txt") })] },
		{ toolCalls: [grep()] },
		() => {
			killed = servers();
			for (const pid of killed) process.kill(pid, "SIGKILL");
			return { toolCalls: [grep()] };
		},
		{ toolCalls: [grep()] },
		{ text: "Done." },
	);
	const claude = world.open();
	assert.equal((await claude.turn("Find the lantern")).result, "Done.", claude.told);
	const after = servers();
	assert.equal(await claude.end(), 0);
	const results = messagesOf(world.requests.at(-1)!).flatMap(({ content }) =>
		content.filter(({ type }) => type === "tool_result").map((block) => JSON.stringify(block)),
	);
	assert.equal(killed.length, 1);
	assert.ok(after.length === 1 && !killed.includes(after[0] ?? 0), `${killed}, then ${after}`);
	assert.match(results.at(-2) ?? "", /Connection closed|Found 2 results/);
	assert.match(results.at(-1) ?? "", /Found 2 results/);
});

/** Processes of `weft mcp` with data in that folder. */
function serversIn(root: string): number[] {
	const list = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" });
	return [...list.matchAll(/^\s*(\d+) (.*)$/gm)].flatMap(([, pid, args = ""]) =>
		args.includes(root) && / mcp( |$)/.test(args) ? [Number(pid)] : [],
	);
}
