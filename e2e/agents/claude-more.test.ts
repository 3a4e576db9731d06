/** The real Claude Code with weft's plugin: what the long task does not try. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

test("a server that does not run lets everything pass, and that is said once", async (t) => {
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
	const env = world.env({
		CLAUDE_CONFIG_DIR: join(world.user, ".claude"),
		ANTHROPIC_BASE_URL: world.url,
		ANTHROPIC_API_KEY: world.key,
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
		DISABLE_AUTOUPDATER: "1",
	});
	const stream = ["--output-format", "stream-json", "--verbose", "--include-hook-events"];
	const args = ["--plugin-dir", join(plugin, PLUGIN_FOLDER), ...stream, "--allowedTools", "Read"];
	const first = await world.run("claude", ["-p", "read it", ...args], env);
	assert.equal(first.code, 0, first.err);
	assert.match(first.out, /Done\./);
	assert.match(first.out, /its server does not run/);
	const again = await world.run("claude", ["-c", "-p", "once more", ...args], env);
	assert.equal(again.code, 0, again.err);
	assert.doesNotMatch(again.out, /its server does not run/);
});
