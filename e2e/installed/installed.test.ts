/**
 * The package as a stranger installs it: by `npm install -g` in an empty prefix, and by npx. Each agent is set up with it, works one
 * task, and is put back. OpenClaw has a suite of its own, which installs the package with the host's own command.
 */
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import {
	chmodSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { TOOLS } from "../../src/tool/catalogue.ts";
import { runPi } from "../../test/rig/pi.ts";
import { makePiWorkspace } from "../../test/rig/workspace.ts";
import { ClaudeWorld } from "../agents/claude-world.ts";
import { CodexWorld } from "../agents/codex-world.ts";
import { OpencodeWorld } from "../agents/opencode-world.ts";
import { programPath } from "../agents/programs.ts";
import { belongings, changedSince, newFilesNaming, writeFiles } from "./belongings.ts";
import { type InstalledWeft, installPackage, NPM_ENV } from "./package.ts";

const DEMO = "demo/session.jsonl";

interface Ran {
	readonly code: number;
	readonly out: string;
	readonly err: string;
}

let weft: InstalledWeft;
before(() => {
	weft = installPackage();
});
after(() => weft?.remove());

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> {
	return new Promise((done) => {
		execFile(command, args, { cwd, env, maxBuffer: 64_000_000 }, (error, out, err) =>
			done({ code: error ? Number(error.code ?? 1) : 0, out, err }),
		).stdin?.end();
	});
}

/** A user who has one session of Pi, and nothing else. */
function makeUser(name: string) {
	const home = join(weft.root, name);
	const sessions = join(home, ".pi/agent/sessions/tidepool");
	for (const folder of [sessions, join(home, "work")]) mkdirSync(folder, { recursive: true });
	copyFileSync(join(weft.folder, DEMO), join(sessions, "session.jsonl"));
	const env = { PATH: weft.path, HOME: home, ...NPM_ENV };
	return { home, cwd: join(home, "work"), env };
}

test("the command looks, imports, reports and replays in an empty home", async () => {
	const { cwd, env } = makeUser("first");
	const of = (...args: string[]) => run(weft.program, args, cwd, env);
	assert.match((await of()).out, /Your agents have these sessions:\n[\s\S]*pi +\/home\/dev\/tidepool/);
	const imported = await of("import", "--yes");
	assert.deepEqual([imported.code, imported.err], [0, ""]);
	const report = JSON.parse((await of("report", "--json")).out);
	assert.ok(report.requests > 10, JSON.stringify(report).slice(0, 400));
	const replayed = await of("replay", join(weft.folder, DEMO), "--mode", "woven", "--json");
	assert.deepEqual([replayed.code, replayed.err], [0, ""]);
	assert.equal((await of("doctor")).code, 0);
	assert.equal(
		(await of("--version")).out,
		`${JSON.parse(readFileSync(join(weft.folder, "package.json"), "utf8")).version}\n`,
	);
});

test("npx weft-context finds the sessions, imports them on yes and opens the report in the browser", async (t) => {
	const { home, cwd, env } = makeUser("second");
	// `script` gives it a terminal.
	const bin = join(home, "bin");
	mkdirSync(bin);
	const opened = join(home, "opened");
	writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\necho "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`);
	chmodSync(join(bin, "xdg-open"), 0o755);
	const child = spawn("script", ["-qec", `npx -y file:${weft.tarball}`, "/dev/null"], {
		cwd,
		env: { ...env, PATH: [bin, weft.path].join(delimiter), NO_COLOR: "1", COLUMNS: "80", TERM: "dumb" },
		detached: true,
	});
	t.after(() => process.kill(-child.pid!, "SIGKILL"));
	let said = "";
	const until = (words: RegExp) =>
		new Promise<void>((done, fail) => {
			const look = () => {
				if (words.test(said)) done();
			};
			child.stdout.on("data", look);
			child.once("close", () => fail(new Error(`It ended: ${said}`)));
			look();
		});
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		said += text;
	});
	await until(/Import 1 session\? \[y\/N\]/);
	child.stdin.write("y\n");
	await until(/Open it in your browser\? \[y\/N\]/);
	assert.match(said, /To see it in your browser: npx weft-context inspect --open/);
	child.stdin.write("y\n");
	await until(/Ctrl-C ends/);
	const [url = ""] = /http:\/\/127\.0\.0\.1:\d+\/p\/[0-9a-f]{16}\/s\/-\/report\S*/.exec(said) ?? [];
	const page = await fetch(url);
	assert.deepEqual([page.status, page.headers.get("content-type")?.startsWith("text/html")], [200, true]);
	while (!existsSync(opened)) await new Promise((done) => setTimeout(done, 20));
	assert.equal(readFileSync(opened, "utf8").trim(), url);
});

test("npx weft-context without a terminal says what to type, and does not set agents up from npm's cache", async () => {
	const { cwd, env } = makeUser("third");
	const npx = (...args: string[]) => run("npx", ["-y", `file:${weft.tarball}`, ...args], cwd, env);
	const { code, out } = await npx();
	assert.equal(code, 0);
	assert.match(out, /npx weft-context import --yes\nTo record new ones: npm install -g weft-context && weft init\n/);
	const refused = await npx("init");
	assert.equal(refused.code, 4);
	assert.match(refused.err, /npm install -g weft-context && weft init/);
});

/** As in "weft is not installed any more"; the word alone is in the names of folders here. */
const WEFT_SPEAKS = /\bweft (?:is|was|has)\b/;
/** Two sessions of a day: the second takes back what the first changed. */
const DAY = [
	["one", "uno"],
	["uno", "one"],
] as const;

test("Claude Code: set up, a day's work, back, and everything of the user's is as it was", async (t) => {
	const world = await ClaudeWorld.start({ "a.txt": "one\n", "CLAUDE.md": "Be brief.\n" });
	t.after(() => world.close());
	const bin = join(world.root, "bin");
	mkdirSync(bin);
	symlinkSync(programPath("claude"), join(bin, "claude"));
	const own = {
		permissions: { allow: ["Bash(ls:*)"] },
		hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
		statusLine: { type: "command", command: "echo mine" },
	};
	writeFiles({
		[join(world.config, "settings.json")]: JSON.stringify(own, null, 5),
		[join(world.config, "CLAUDE.md")]: "I like tabs.\n",
		[join(world.config, "commands/mine.md")]: "Say hello.\n",
		[world.path(".claude/settings.local.json")]: '{"permissions":{"allow":["Bash(git status)"]}}',
		[world.path(".mcp.json")]: '{ "mcpServers": {} }\n',
	});
	const before = belongings(world.user, world.project);
	const env = {
		PATH: [bin, weft.path].join(delimiter),
		HOME: world.user,
		CLAUDE_CONFIG_DIR: world.config,
		WEFT_HOME: world.home,
	};
	const done = await run(weft.program, ["init", "claude", "--yes"], world.project, env);
	assert.equal(done.code, 0, done.err);
	const { script } = world;
	for (const [old_string, new_string] of DAY) {
		const file_path = world.path("a.txt");
		script.add(
			{ toolCalls: [script.call("Read", { file_path })] },
			{ toolCalls: [script.call("Edit", { file_path, old_string, new_string })] },
			{ toolCalls: [script.call("mcp__plugin_weft_log__lcm_grep", { query: "lantern" })] },
			{ text: "Done." },
		);
		const claude = world.open({ weft: false, env: { PATH: env.PATH, WEFT_HOME: world.home } });
		assert.equal((await claude.turn("Light the lantern")).result, "Done.", claude.told);
		assert.equal(await claude.end(), 0);
		assert.match(JSON.stringify(world.requests.at(-1)?.json["messages"]), /Found \d+ results?.*lantern/);
		assert.equal(readFileSync(file_path, "utf8"), `${new_string}\n`);
	}
	const report = await run(weft.program, ["report", "--json"], world.project, env);
	assert.ok(JSON.parse(report.out).requests >= 8, report.out.slice(0, 400));
	const undone = await run(weft.program, ["init", "claude", "--undo"], world.project, env);
	assert.equal(undone.code, 0, undone.err);
	assert.deepEqual(changedSince(before), []);
	assert.deepEqual(newFilesNaming(weft.root, before, world.user, world.project), []);
	script.add({ text: "Still here." });
	const without = world.open({ weft: false });
	assert.equal((await without.turn("And now?")).result, "Still here.", without.told);
	assert.equal(await without.end(), 0);
	assert.doesNotMatch(without.told, WEFT_SPEAKS);
});

test("Codex: set up, hooks trusted, a day's work, back, and everything of the user's is as it was", async (t) => {
	const world = await CodexWorld.start({ "a.txt": "one\n" });
	t.after(() => world.base.close());
	world.configureLab("# mine: keep it short", 'model_reasoning_effort = "low"');
	const { user, project } = world.base;
	const hook = { hooks: [{ type: "command", command: "true" }] };
	writeFiles({
		[join(world.home, "hooks.json")]: JSON.stringify({ hooks: { Stop: [hook] } }, null, 3),
		[join(world.home, "AGENTS.md")]: "I like tabs.\n",
		[join(project, "AGENTS.md")]: "Be brief.\n",
	});
	const settings = readFileSync(join(world.home, "config.toml"), "utf8");
	const before = belongings(user, project);
	const env = { ...world.env, PATH: [join(world.base.root, "bin"), weft.path].join(delimiter) };
	const done = await world.base.run(weft.program, ["init", "codex", "--yes"], env);
	assert.equal(done.code, 0, done.err);
	await world.trustHooks();
	for (const [old, text] of DAY) {
		world.script.add({ toolCalls: [world.read("a.txt")] }, { toolCalls: [world.patch("a.txt", old, text)] });
		world.script.add({ text: "Done." });
		const ran = await world.base.run("codex", world.exec("Light the lantern"), env);
		assert.equal(ran.code, 0, ran.err);
		assert.equal(readFileSync(world.path("a.txt"), "utf8"), `${text}\n`);
	}
	const found = await world.base.run(weft.program, ["grep", "lantern"], env);
	assert.match(found.out, /lantern/);
	assert.deepEqual(world.base.events("Fault"), []);
	const undone = await world.base.run(weft.program, ["init", "codex", "--undo"], env);
	assert.equal(undone.code, 0, undone.err);
	// Codex itself has noted which hooks the user trusts.
	const config = join(world.home, "config.toml");
	assert.ok(readFileSync(config, "utf8").startsWith(settings.trimEnd()));
	assert.doesNotMatch(readFileSync(config, "utf8"), /mcp_servers/);
	assert.ok(!readFileSync(config, "utf8").includes(weft.root));
	assert.deepEqual(changedSince(before), [config]);
	assert.deepEqual(newFilesNaming(weft.root, before, user, project), []);
	world.script.add({ text: "Still here." });
	const without = await world.base.run("codex", world.exec("And now?"), world.env);
	assert.deepEqual([without.code, WEFT_SPEAKS.test(without.err)], [0, false], without.err);
});

test("opencode: set up, a day's work, back, and everything of the user's is as it was", async (t) => {
	const world = await OpencodeWorld.start({ "a.txt": "one\n" });
	t.after(() => world.base.close());
	const { user, project } = world.base;
	const config = join(user, "config", "opencode");
	writeFiles({
		[join(config, "opencode.jsonc")]: '{\n  // mine\n  "theme": "system",\n}\n',
		[join(config, "plugin/mine.js")]: "export const mine = async () => ({});\n",
		[join(config, "AGENTS.md")]: "I like tabs.\n",
		[join(project, "AGENTS.md")]: "Be brief.\n",
	});
	// opencode itself adds its schema to settings that it reads for the first time.
	world.script.add({ text: "Good morning." });
	assert.equal((await world.base.run("opencode", world.run("Good morning"), world.env)).code, 0);
	const before = belongings(config, project);
	const env = { ...world.env, PATH: [join(world.base.root, "bin"), weft.path].join(delimiter) };
	const done = await world.base.run(weft.program, ["init", "opencode", "--yes"], env);
	assert.equal(done.code, 0, done.err);
	for (const [old, text] of DAY) {
		world.expectSession();
		world.script.add({ toolCalls: [world.read("a.txt")] }, { toolCalls: [world.edit("a.txt", old, text)] });
		world.script.add({ text: "Done." });
		const ran = await world.base.run("opencode", world.run("Light the lantern"), env);
		assert.equal(ran.code, 0, ran.err);
		assert.equal(readFileSync(world.path("a.txt"), "utf8"), `${text}\n`);
	}
	assert.match((await world.base.run(weft.program, ["grep", "lantern"], env)).out, /lantern/);
	assert.deepEqual(world.base.events("Fault"), []);
	const undone = await world.base.run(weft.program, ["init", "opencode", "--undo"], env);
	assert.match(undone.out, /opencode: 2 files as before/);
	assert.deepEqual(changedSince(before), []);
	assert.deepEqual(newFilesNaming(weft.root, before, config, project), []);
	world.expectSession();
	world.script.add({ text: "Still here." });
	const without = await world.base.run("opencode", world.run("And now?"), world.env);
	assert.deepEqual([without.code, WEFT_SPEAKS.test(without.err)], [0, false], without.err);
});

test("opencode loads the package itself, by its entry for plugins", async (t) => {
	const world = await OpencodeWorld.start({ "a.txt": "one\n" });
	t.after(() => world.base.close());
	const path = world.path("opencode.json");
	const plugin = [pathToFileURL(weft.folder).href];
	writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), plugin }));
	const env = { ...world.env, PATH: [join(world.base.root, "bin"), weft.path].join(delimiter) };
	world.script.add({ toolCalls: [world.read("a.txt")] }, { text: "Done." });
	const ran = await world.base.run("opencode", world.run("Light the lantern"), env);
	assert.equal(ran.code, 0, ran.err);
	assert.match((await world.base.run(weft.program, ["grep", "lantern"], env)).out, /lantern/);
});

test("Pi: the installed extension records a task", async () => {
	using workspace = makePiWorkspace({ files: { "a.txt": "one\n" } });
	const extension = join(weft.folder, "src/agent/pi/index.ts");
	const script = [{ toolCalls: [{ id: "r1", name: "read", args: { path: "a.txt" } }] }, { text: "One." }];
	const ran = await runPi({ workspace, extensions: [extension], script, prompts: ["Light the lantern"] });
	assert.deepEqual([ran.code, ran.stderr, ran.stdout.trim()], [0, "", "One."]);
	const env = { PATH: weft.path, HOME: workspace.userHome, WEFT_HOME: workspace.home };
	assert.match((await run(weft.program, ["grep", "lantern"], workspace.project, env)).out, /lantern/);
});

test("a program of one's own: the MCP server lists its tools, and the library opens a log", async () => {
	const { cwd, env } = makeUser("fourth");
	const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "0" } };
	const lines = [
		{ jsonrpc: "2.0", id: 1, method: "initialize", params: hello },
		{ jsonrpc: "2.0", method: "notifications/initialized" },
		{ jsonrpc: "2.0", id: 2, method: "tools/list" },
	];
	const input = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
	const out = execFileSync(weft.program, ["mcp"], { cwd, env, input, encoding: "utf8" });
	for (const { name } of TOOLS) assert.ok(out.includes(`"${name}"`), name);
	const library = pathToFileURL(join(weft.folder, "dist/index.js")).href;
	const code = `const { openEngine } = await import(${JSON.stringify(library)});
		const engine = openEngine({ cwd: process.cwd(), host: "own" }); console.log([...engine.log.read({})].length); engine.close();`;
	const ran = await run(process.execPath, ["--input-type=module", "-e", code], cwd, env);
	assert.deepEqual([ran.code, ran.out], [0, "0\n"], ran.err);
});

test("an example of the package runs in a project that has it installed", async () => {
	const { cwd, env } = makeUser("fifth");
	mkdirSync(join(cwd, "node_modules"));
	symlinkSync(weft.folder, join(cwd, "node_modules", "weft-context"));
	copyFileSync(join(weft.folder, "examples/plain-code.ts"), join(cwd, "agent.ts"));
	const ran = await run(process.execPath, ["agent.ts"], cwd, env);
	assert.equal(ran.code, 0, ran.err);
	assert.match(ran.out, /^sealed on the way$/m);
});

test("installed with what it needs, the package takes less than 20 MB", () => {
	let bytes = 0;
	for (const entry of readdirSync(weft.folder, { recursive: true, withFileTypes: true }))
		if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
	assert.ok(bytes > 1_000_000 && bytes < 20_000_000, `${bytes} bytes`);
});

test("the package holds its manifests, and no tests, sources or machine's files", () => {
	const all = readdirSync(weft.folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
	const own = all.filter((name) => !name.startsWith("node_modules"));
	assert.deepEqual(
		own.filter((name) => /\.test\.|^(?:test|e2e|bench|scripts|\.github|\.ci)(?:\/|$)|\.map$/.test(name)),
		[],
	);
	assert.deepEqual(
		own.filter((name) => /^src\/.*\.ts$/.test(name)),
		["src/agent/pi/index.ts"],
	);
	for (const name of ["openclaw.plugin.json", "plugin/codex/weft/.codex-plugin/plugin.json", "plugin/opencode/weft.js"])
		assert.ok(own.includes(name), name);
	const { exports } = JSON.parse(readFileSync(join(weft.folder, "package.json"), "utf8"));
	assert.ok(existsSync(join(weft.folder, exports["./server"])));
});
