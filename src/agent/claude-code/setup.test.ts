import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
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
		command: "/node 24/node",
		args: ["/weft/main.js", "mcp"],
		alwaysLoad: true,
	});
	assert.match(
		readFileSync(join(market, "weft/commands/why.md"), "utf8"),
		/!`'\/node 24\/node' \/weft\/main\.js why \$ARGUMENTS`/,
	);
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
