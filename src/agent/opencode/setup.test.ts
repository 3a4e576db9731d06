import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { installFakeAgent, WEFT } from "../../../test/rig/fake-agent.ts";
import { ownPath, ownVersion } from "../../base/file/package-file.ts";
import { applyChanges, undoChanges } from "../setup/apply.ts";
import { opencodeSetup } from "./setup.ts";

test("plugin and server, once, and taken back byte for byte; comments stay", (t) => {
	const config = '{\n  // mine\n  "model": "a/b"\n}\n';
	const of = installFakeAgent(t, opencodeSetup, { "config/opencode/opencode.jsonc": config });
	applyChanges(of.home, "opencode", of.found.folder, opencodeSetup.plan(of.found, of.options));
	assert.deepEqual(opencodeSetup.plan(of.found, of.options), []);
	assert.match(of.read("config/opencode/opencode.jsonc"), /"weft"[\s\S]*\/\/ mine/);
	assert.match(of.read("config/opencode/plugin/weft.js"), /"\/opt\/weft it","main\.js","hook","opencode"/);
	assert.ok(of.read("config/opencode/plugin/weft.js").includes(`const VERSION = "${ownVersion()}";`));
	const says = () => opencodeSetup.check(of.found, of.options).at(-1)!.says;
	assert.equal(says(), "the plugin is installed");
	undoChanges(of.home, "opencode", of.found.folder);
	assert.match(says(), /not installed/);
	assert.equal(of.read("config/opencode/opencode.jsonc"), config);
	assert.ok(!existsSync(join(of.folder, "config/opencode/plugin")));
});

test("another server that is called weft is left, and said", (t) => {
	const config = '{"mcp":{"weft":{"type":"local","command":["my-weaver","serve"]}}}\n';
	const of = installFakeAgent(t, opencodeSetup, { "config/opencode/opencode.json": config });
	const start = opencodeSetup.command(of.found, [], { weft: WEFT, folder: of.folder, env: of.env });
	assert.deepEqual(JSON.parse(start.env["OPENCODE_CONFIG_CONTENT"]!).mcp, {});
	assert.deepEqual(opencodeSetup.remarks!(of.found, of.options), [
		"opencode.json names another server 'weft': not changed.",
	]);
	applyChanges(of.home, "opencode", of.found.folder, opencodeSetup.plan(of.found, of.options));
	assert.equal(of.read("config/opencode/opencode.json"), config);
	const says = opencodeSetup.check(of.found, of.options).map((finding) => finding.says);
	assert.deepEqual(says.slice(1), [
		"the plugin is installed",
		"opencode.json names another server 'weft', so the model has no lcm_ tools",
	]);
	undoChanges(of.home, "opencode", of.found.folder);
	assert.equal(of.read("config/opencode/opencode.json"), config);
});

test("a server of another weft is replaced, and nothing is remarked", (t) => {
	const config = '{"mcp":{"weft":{"type":"local","command":["node","/opt/x/dist/cli/main.js","mcp"]}}}\n';
	const of = installFakeAgent(t, opencodeSetup, { "config/opencode/opencode.json": config });
	assert.deepEqual(opencodeSetup.remarks!(of.found, of.options), []);
	assert.equal(opencodeSetup.plan(of.found, of.options).length, 2);
});

test("for one session everything is in its environment", (t) => {
	const of = installFakeAgent(t, opencodeSetup, {});
	const env = { ...of.env, OPENCODE_CONFIG_CONTENT: '{"model":"a/b","mcp":{"x":{}}}' };
	const start = opencodeSetup.command(of.found, ["run", "hi"], { weft: WEFT, folder: of.folder, env });
	const given = JSON.parse(start.env["OPENCODE_CONFIG_CONTENT"]!);
	assert.deepEqual([given.model, Object.keys(given.mcp)], ["a/b", ["x", "weft"]]);
	assert.ok(existsSync(new URL(given.plugin[0])));
	assert.ok(!existsSync(join(of.folder, "config")), "nothing of the user's is written");
});

test("a weft that does not answer is said once, and everything passes", async (t) => {
	const of = installFakeAgent(t, opencodeSetup, {});
	const file = join(of.folder, "plugin.mjs");
	const text = readFileSync(ownPath("plugin", "opencode", "weft.js"), "utf8");
	writeFileSync(file, text.replace(/const COMMAND = .*/, 'const COMMAND = ["/nowhere/weft", "hook", "opencode"];'));
	const { WeftPlugin } = await import(pathToFileURL(file).href);
	const told: string[] = [];
	const showToast = async ({ body }: { readonly body: { readonly message: string } }) => {
		told.push(body.message);
	};
	const hooks = await WeftPlugin({ directory: of.folder, client: { tui: { showToast } } });
	const before = () => hooks["tool.execute.before"]({ sessionID: "s", tool: "read", callID: "c" }, { args: {} });
	await before();
	await before();
	assert.equal(told.length, 1);
	assert.match(told[0] ?? "", /^weft does not answer, so nothing of this session is recorded or guarded/);
});
