import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ownPath, ownVersion } from "../../base/file/package-file.ts";
import { applyChanges, undoChanges } from "../setup/apply.ts";
import type { FoundAgent, SetupOptions } from "../setup/contract.ts";
import { claudeSetup } from "./setup.ts";

function world(t: TestContext, settings?: string) {
	const root = mkdtempSync(join(tmpdir(), "weft-claude-setup-"));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	const found: FoundAgent = { program: "/bin/claude", version: "2.1.325", folder: join(root, "config") };
	const options: SetupOptions = { weft: ["/node 24/node", "/weft/main.js"], dataHome: join(root, "weft"), env: {} };
	if (settings !== undefined) mkdirSync(found.folder);
	const file = join(found.folder, "settings.json");
	if (settings !== undefined) writeFileSync(file, settings);
	const read = () => JSON.parse(readFileSync(file, "utf8"));
	return { root, found, options, file, read };
}

test("a plugin folder with this weft's command, named in the settings, and all of it taken back", (t) => {
	const mine = '{\n    "model": "opus",\n    "enabledPlugins": { "other@m": true }\n}';
	const { root, found, options, file, read } = world(t, mine);
	applyChanges(options.dataHome, "claude", found.folder, claudeSetup.plan(found, options));
	const market = join(options.dataHome, "agents/claude-code");
	assert.deepEqual(read(), {
		model: "opus",
		enabledPlugins: { "other@m": true, "weft@weft": true },
		extraKnownMarketplaces: { weft: { source: { source: "directory", path: market } } },
		autoCompactWindow: 133_000,
	});
	assert.deepEqual(JSON.parse(readFileSync(join(market, "weft/.mcp.json"), "utf8")).mcpServers.log, {
		command: "sh",
		args: ["${CLAUDE_PLUGIN_ROOT}/server.sh", "/node 24/node", "/weft/main.js", "mcp"],
		env: { WEFT_START: ownPath("plugin", "weft-start.sh") },
		alwaysLoad: true,
	});
	assert.match(
		readFileSync(join(market, "weft/commands/why.md"), "utf8"),
		/!`'\/node 24\/node' \/weft\/main\.js why \$ARGUMENTS`/,
	);
	// The server compares it with its own.
	const manifest = JSON.parse(readFileSync(join(market, "weft/.claude-plugin/plugin.json"), "utf8"));
	assert.equal(manifest.version, ownVersion());
	assert.deepEqual(claudeSetup.plan(found, options), []);
	assert.deepEqual(claudeSetup.check(found, options), [
		{ level: "ok", says: "2.1.325" },
		{ level: "ok", says: "the plugin is installed" },
	]);
	undoChanges(options.dataHome, "claude", found.folder);
	assert.equal(readFileSync(file, "utf8"), mine);
	assert.deepEqual(readdirSync(join(root, "weft")), ["setup"]);
});

test("what the user set stays, and what the program wrote since is kept", (t) => {
	const { found, options, read, file } = world(t, '{ "autoCompactWindow": 400000 }\n');
	applyChanges(options.dataHome, "claude", found.folder, claudeSetup.plan(found, { ...options, statusLine: true }));
	assert.equal(read().autoCompactWindow, 400_000);
	assert.match(read().statusLine.command, /status --line$/);
	writeFileSync(file, `${JSON.stringify({ ...read(), model: "sonnet" })}\n`);
	undoChanges(options.dataHome, "claude", found.folder);
	assert.deepEqual(read(), { autoCompactWindow: 400_000, model: "sonnet" });
});

test("one session: the plugin's folder as an argument, nothing in the user's settings", (t) => {
	const { found, options, root } = world(t);
	const place = { weft: options.weft, folder: join(root, "run"), env: { PATH: "/bin" }, proxy: "http://127.0.0.1:9" };
	assert.deepEqual(claudeSetup.command(found, ["-p", "hello"], place), {
		file: "/bin/claude",
		args: ["--plugin-dir", join(root, "run/weft"), "-p", "hello"],
		env: {
			PATH: "/bin",
			CLAUDE_CODE_AUTO_COMPACT_WINDOW: "133000",
			ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
			WEFT_PROXY: "http://127.0.0.1:9",
		},
	});
	const late = claudeSetup.command(found, [], { ...place, seal: "late" }).env["CLAUDE_CODE_AUTO_COMPACT_WINDOW"];
	assert.equal(late, "1000000", "the user wants the window used");
	assert.equal(existsSync(found.folder), false);
	assert.equal(existsSync(join(root, "run/weft/hooks/hooks.json")), true);
});

test("after an undo Claude Code's own lists of plugins do not name weft", (t) => {
	const { found, options } = world(t, "{}");
	const plugins = join(found.folder, "plugins");
	mkdirSync(join(plugins, "data/weft-weft"), { recursive: true });
	const write = (name: string, list: object) => writeFileSync(join(plugins, name), JSON.stringify(list));
	const read = (name: string) => JSON.parse(readFileSync(join(plugins, name), "utf8"));
	const other = { installLocation: "/theirs" };
	write("known_marketplaces.json", { weft: { installLocation: join(options.dataHome, "agents/claude-code") }, other });
	write("installed_plugins.json", { version: 2, plugins: { "weft@weft": [{}], "other@m": [{}] } });
	claudeSetup.forget?.(found.folder, options.dataHome);
	assert.deepEqual(read("known_marketplaces.json"), { other });
	assert.deepEqual(read("installed_plugins.json"), { version: 2, plugins: { "other@m": [{}] } });
	assert.deepEqual(readdirSync(join(plugins, "data")), []);
	// Somebody else's marketplace of that name, and lists that cannot be read.
	write("known_marketplaces.json", { weft: other });
	write("installed_plugins.json", { plugins: { "weft@weft": [{}] } });
	claudeSetup.forget?.(found.folder, options.dataHome);
	assert.deepEqual(read("known_marketplaces.json"), { weft: other });
	assert.deepEqual(read("installed_plugins.json"), { plugins: { "weft@weft": [{}] } });
	writeFileSync(join(plugins, "known_marketplaces.json"), "no list");
	claudeSetup.forget?.(found.folder, options.dataHome);
});

test("a weft that was removed passes every hook, and that is said once in a session", (t) => {
	const data = mkdtempSync(join(tmpdir(), "weft gone-"));
	t.after(() => rmSync(data, { recursive: true, force: true }));
	const script = join(import.meta.dirname, "../../../plugin/claude-code/weft/server.sh");
	const env = { PATH: process.env["PATH"], CLAUDE_PLUGIN_DATA: data };
	const call = (id: number, session: string) => {
		const args = { session, input: '{"id":7,"method":"tools/list"}' };
		return { method: "tools/call", params: { name: "hook", arguments: args }, jsonrpc: "2.0", id };
	};
	const say = (command: readonly string[], messages: readonly object[]) => {
		const input = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
		const out = execFileSync("sh", [script, ...command], { env, encoding: "utf8", input });
		return out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
	};
	const begin = { jsonrpc: "2.0", id: "a", method: "initialize", params: { protocolVersion: "2025-11-25" } };
	const told = { method: "notifications/initialized", jsonrpc: "2.0" };
	const list = { method: "tools/list", jsonrpc: "2.0", id: 1 };
	const [opened, listed, ...answers] = say(
		["/nowhere/weft", "mcp"],
		[begin, told, list, call(2, "s-1"), call(3, "s-1")],
	);
	assert.deepEqual([opened.id, opened.result.protocolVersion], ["a", "2025-11-25"]);
	assert.deepEqual(listed, { jsonrpc: "2.0", id: 1, result: { tools: [] } });
	const texts = (given: readonly { readonly result: { readonly content: readonly { text: string }[] } }[]) =>
		given.map(({ result }) => JSON.parse(result.content[0]?.text ?? ""));
	const [first, second] = texts(answers);
	assert.match(first.systemMessage, /^weft is not installed any more/);
	assert.deepEqual(second, {});
	assert.deepEqual(texts(say([process.execPath, "/nowhere/main.js", "mcp"], [call(1, "s-1")])), [{}]);
	assert.match(texts(say(["/nowhere/weft", "mcp"], [call(1, "s-2")]))[0].systemMessage, /not installed/);
	// A weft that is there is started, also if its Node is gone.
	const program = join(data, "main.js");
	writeFileSync(program, "console.log(JSON.stringify(process.argv.slice(2)))\n");
	assert.deepEqual(say([process.execPath, program, "mcp"], []), [["mcp"]]);
	assert.deepEqual(say(["/nowhere/node", program, "mcp"], []), [["mcp"]]);
});
