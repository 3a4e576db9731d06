/** The way of a user: weft set up in the real Claude Code by `weft init`, a session, and everything as it was by `--undo`. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { openEngine } from "../../src/engine.ts";
import { ClaudeWorld } from "./claude-world.ts";
import { programPath } from "./programs.ts";

const SETTINGS = '{\n    "model": "claude-opus-5-5",\n    "env": { "MINE": "1" }\n}\n';

test("weft init sets Claude Code up, its sessions are recorded, and --undo leaves no trace in the settings", async (t) => {
	const world = await ClaudeWorld.start({ "a.txt": "one\ntwo\n" });
	t.after(() => world.close());
	const file = join(world.config, "settings.json");
	writeFileSync(file, SETTINGS);
	const bin = join(world.root, "bin");
	mkdirSync(bin);
	symlinkSync(programPath("claude"), join(bin, "claude"));
	const env = { PATH: [bin, process.env["PATH"]].join(delimiter), HOME: world.user, CLAUDE_CONFIG_DIR: world.config };
	const weft = (...args: string[]) => run(world, env, args);

	const asked = await weft("init", "claude");
	assert.equal(asked.code, 2, asked.text);
	assert.match(asked.text, /Claude Code 2\.1\.325[\s\S]*changes {2}\S*settings\.json[\s\S]*Nothing was changed/);
	assert.equal(readFileSync(file, "utf8"), SETTINGS);

	const done = await weft("init", "claude", "--yes");
	assert.equal(done.code, 0, done.text);
	assert.match((await weft("init", "claude", "--yes")).text, /Everything is in place/);
	assert.match((await weft("doctor")).text, /claude +the plugin is installed/);

	const { script } = world;
	script.add(
		{ toolCalls: [script.call("Read", { file_path: world.path("a.txt") })] },
		{ toolCalls: [script.call("mcp__plugin_weft_log__lcm_grep", { query: "lantern" })] },
		{ text: "Done." },
	);
	// As the user starts it: no argument of weft's.
	const claude = world.open({ weft: false });
	const { result, session_id } = await claude.turn("Light the lantern");
	assert.equal(result, "Done.", claude.told);
	assert.equal(await claude.end(), 0);
	assert.match(JSON.stringify(world.requests.at(-1)?.json["messages"]), /Found 1 result.*lantern/);
	const engine = openEngine({ cwd: world.project, host: "cli", home: world.home, env: {}, readOnly: true });
	try {
		assert.ok([...engine.log.read({ session: session_id!, types: ["Message"] })].length >= 4);
		assert.deepEqual([...engine.log.read({ types: ["Fault"] })], []);
	} finally {
		engine.close();
	}

	const undone = await weft("init", "claude", "--undo");
	assert.equal(undone.code, 0, undone.text);
	assert.equal(readFileSync(file, "utf8"), SETTINGS);
	assert.equal(existsSync(join(world.home, "agents")), false);
	assert.doesNotMatch(readFileSync(join(world.config, "plugins/known_marketplaces.json"), "utf8"), /weft/);

	script.add({ text: "Still here." });
	const without = world.open({ weft: false, resume: session_id });
	assert.equal((await without.turn("And now?")).result, "Still here.", without.told);
	assert.equal(await without.end(), 0);
	assert.doesNotMatch(without.told, /weft/);
});

interface Ran {
	readonly code: number;
	readonly text: string;
}

function run(world: ClaudeWorld, env: Readonly<Record<string, string>>, args: readonly string[]): Promise<Ran> {
	const [command, main, ...home] = world.weft;
	return new Promise((resolve) => {
		execFile(command, [main!, ...args, ...home], { cwd: world.project, env }, (error, out, err) => {
			resolve({ code: error ? Number(error.code) : 0, text: out + err });
		});
	});
}
