import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import plugin from "../../src/agent/openclaw/plugin.ts";
import type {
	HostCommand,
	HostTool,
	PlaceContext,
	PluginApi,
	PluginHookEvent,
} from "../../src/agent/openclaw/plugin-api.ts";
import { runCommand } from "../../src/agent/openclaw/plugin-commands.ts";
import { workspaceOf } from "../../src/agent/openclaw/plugin-config.ts";
import { recordPassedBy } from "../../src/agent/openclaw/plugin-engine.ts";
import { Presence } from "../../src/agent/openclaw/presence.ts";
import { TOOLS } from "../../src/tool/catalogue.ts";
import { checkOpenClaw } from "../../src/view/openclaw-use.ts";
import { place, says, user } from "./rig.ts";

const manifest = JSON.parse(readFileSync(new URL("../../openclaw.plugin.json", import.meta.url), "utf8"));
const pack = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const PLACE: PlaceContext = { sessionId: "s1", sessionKey: "agent:main:s1" };

/** A host's side of `register`: keeps what is given to it. */
function hostApi(options: Partial<PluginApi> = {}) {
	const engines = new Map<string, Parameters<PluginApi["registerContextEngine"]>[1]>();
	const tools = new Map<string, (context: PlaceContext) => HostTool>();
	const commands = new Map<string, HostCommand>();
	const hooks = new Map<string, (event: PluginHookEvent, context: PlaceContext) => void>();
	const warnings: string[] = [];
	const api: PluginApi = {
		registrationMode: "full",
		logger: { warn: (message) => warnings.push(message) },
		registerContextEngine: (id, factory) => void engines.set(id, factory),
		registerTool: (factory, { name }) => void tools.set(name, factory),
		registerCommand: (command) => void commands.set(command.name, command),
		on: (hook: string, handler: unknown) => void hooks.set(hook, handler as NonNullable<ReturnType<typeof hooks.get>>),
		...options,
	};
	return { api, engines, tools, commands, hooks, warnings };
}

test("manifest, package and plugin say the same", () => {
	const { api, engines, tools, commands } = hostApi();
	plugin.register(api);
	assert.deepEqual([manifest.id, plugin.id, [...engines.keys()]], ["weft", "weft", ["weft"]]);
	const names = TOOLS.map(({ name }) => name).sort();
	assert.deepEqual([[...tools.keys()].sort(), manifest.contracts.tools.toSorted()], [names, names]);
	const aliases = manifest.commandAliases.map(({ name }: { name: string }) => name);
	assert.deepEqual(aliases, [...commands.keys()]);
	assert.equal(manifest.configSchema.additionalProperties, false);
	assert.deepEqual(pack.openclaw.extensions, ["./dist/agent/openclaw/plugin.js"]);
	for (const factory of tools.values()) assert.equal(factory(PLACE).catalogMode, "direct-only");
});

test("C14: register answers at once, however often it is called, and touches nothing", (t) => {
	const { home, cwd, look } = place(t);
	const before = look(({ log }) => log.newestSeq());
	const { api, hooks } = hostApi({ pluginConfig: { home }, config: { agents: { defaults: { workspace: cwd } } } });
	for (const registrationMode of ["full", "discovery", "discovery", "tool-discovery", "cli-metadata"]) {
		assert.equal(plugin.register({ ...api, registrationMode }), undefined);
	}
	assert.equal(
		look(({ log }) => log.newestSeq()),
		before,
	);
	// Hooks that read conversations need the user's permission: none of these does.
	const names = [
		"before_message_write",
		"before_reset",
		"before_tool_call",
		"gateway_stop",
		"model_call_started",
		"session_end",
	];
	assert.deepEqual([...hooks.keys()].sort(), names);
});

test("where another plugin has the names of the tools, ours are not registered, and it says so", async (t) => {
	const { home, cwd } = place(t);
	const config = { plugins: { entries: { "lossless-claw": {} } } };
	const { api, tools, commands, warnings, engines } = hostApi({ config, pluginConfig: { home } });
	plugin.register(api);
	assert.deepEqual([[...tools.keys()], [...commands.keys()]], [[], ["weft", "warp"]]);
	assert.match(warnings.join(), /lossless-claw has the names lcm_grep/);
	const weft = await engines.get("weft")!({ workspaceDir: cwd });
	const availableTools = new Set(TOOLS.map(({ name }) => name));
	const answer = await weft.assemble({ ...PLACE, sessionId: "s1", messages: [user("Hello.", 1)], availableTools });
	assert.equal(answer.systemPromptAddition, undefined, "theirs would answer differently");
	await weft.dispose();
});

test("a plugin with our names that the host does not load takes none of them", () => {
	const entries = { "lossless-claw": {} };
	for (const [plugins, count] of [
		[{ entries, allow: ["weft"] }, TOOLS.length],
		[{ entries, deny: ["lossless-claw"] }, TOOLS.length],
		[{ entries: { "lossless-claw": { enabled: false } } }, TOOLS.length],
		[{ entries, allow: ["weft", "lossless-claw"] }, 0],
		[{ entries, allow: [] }, 0],
	] as const) {
		const { api, tools, warnings } = hostApi({ config: { plugins } });
		plugin.register(api);
		assert.deepEqual([tools.size, warnings.length], [count, count === 0 ? 1 : 0], JSON.stringify(plugins));
	}
});

test("the engine, the tools and the commands work over one log", async (t) => {
	const { home, cwd } = place(t);
	const { api, engines, tools, commands, hooks } = hostApi({ pluginConfig: { home } });
	plugin.register(api);
	const weft = await engines.get("weft")!({ workspaceDir: cwd });
	const messages = [user("The harbour has a PELICAN.", 1), says("Noted.", 2)];
	await weft.commitTurn({ ...PLACE, sessionId: "s1", advancementKey: "t1", messages });
	await weft.dispose();
	const at = { ...PLACE, workspaceDir: cwd };
	const grep = await tools.get("lcm_grep")!(at).execute("c1", { query: "PELICAN" });
	assert.match(grep.content[0]!.text, /harbour/);
	const wrong = await tools.get("lcm_expand")!(at).execute("c2", { summary_id: "m-nothing" });
	assert.equal(wrong.isError, true);
	const say = (name: string, args = "") => commands.get(name)!.handler({ ...at, args });
	assert.match((await say("weft")).text, /context +[\d,]+ of at most [\d,]+ tokens in 2 messages[\s\S]*OpenClaw/);
	assert.equal((await say("weft", "status")).text, (await say("weft")).text);
	assert.equal((await say("weft", "mode off")).text, "Unknown command '/weft mode'. Use status or inspect.");
	assert.match(
		(await say("weft", "inspect")).text,
		/^Run this on the machine[\s\S]*weft inspect --home \S+ --project \S+ --session s1$/,
	);
	assert.notEqual((await say("warp")).text, "");
	assert.match((await say("warp", "PELICAN")).text, /takes no words/);
	hooks.get("session_end")!({ ...PLACE, reason: "shutdown" }, at);
});

test("/lcm answers a person: what was found, the text itself, and what was before a reset", async (t) => {
	const { home, cwd } = place(t);
	const { api, engines, commands } = hostApi({ pluginConfig: { home } });
	plugin.register(api);
	const weft = await engines.get("weft")!({ workspaceDir: cwd });
	const long = `The quay is long. ${"plank ".repeat(900)}the end`;
	const turn = { ...PLACE, sessionId: "s1" };
	await weft.commitTurn({
		...turn,
		advancementKey: "t1",
		messages: [user("The harbour has a PELICAN.", 1), says(long, 2)],
	});
	const at = { ...PLACE, workspaceDir: cwd };
	const say = async (args = "") => (await commands.get("lcm")!.handler({ ...at, args })).text;
	const found = await say("search PELICAN");
	assert.match(
		found,
		/^1 found in this conversation:\nm-\w+ .*user.*\n? *The harbour has a «PELICAN»\.\n'\/lcm expand ID' shows one whole\.$/,
	);
	const id = /m-\w+/.exec(found)![0];
	assert.match(
		await say(`expand ${id}`),
		new RegExp(`^${id}, user, .*, 26 characters:\nThe harbour has a PELICAN\\.$`),
	);
	const quay = /m-\w+/.exec(await say("search quay"))![0];
	const [, next] = /\(continues: \/lcm expand m-\w+ (\d+)\)$/.exec(await say(`expand ${quay}`)) ?? [];
	assert.match(await say(`expand ${quay} ${next}`), /from 3,000 of 5,4\d\d characters:\n[\s\S]*the end$/);
	// The host shows none of it any more: it was reset.
	await weft.assemble({ ...turn, messages: [], prompt: "And now?" });
	assert.equal(
		await say("search PELICAN"),
		"Nothing found in this conversation. '/lcm all WORDS' looks in all of them.",
	);
	assert.match(await say("all PELICAN"), /^1 found in all conversations:\nm-/);
	assert.equal(await say("all OSPREY"), "Nothing found in any of your conversations.");
	const odd = [
		"",
		"help",
		"stats",
		"tree",
		"search",
		"all",
		"expand",
		"expand x",
		"expand m-000000000000",
		"expand m-1 x",
		"serch \u001b[31mred",
	];
	for (const args of odd) {
		const text = await say(args);
		assert.ok(!/lcm_|summary_id/.test(text) && !text.includes("\u001b"), text);
		assert.ok(text !== "" && (args.startsWith("expand ") || text.split("\n").every((line) => line.length <= 80)), text);
	}
	assert.match(await say("serch red"), /^Unknown command '\/lcm serch'\. Use:\n\/lcm stats/);
	assert.equal(await say("expand"), "Say which: /lcm expand ID, with an id as a search shows it");
	assert.match(await say("expand x"), /'x' is not an id/);
	assert.match(await say("expand m-000000000000"), /Nothing has the id/);
	await weft.dispose();
});

test("a command says what is wrong where the log cannot be written or opened, and /weft still says whether weft is used", async (t) => {
	const { home, cwd, look, engine } = place(t);
	const { api, commands } = hostApi({ pluginConfig: { home } });
	plugin.register(api);
	await engine().commitTurn({
		...PLACE,
		sessionId: "s1",
		advancementKey: "t1",
		messages: [user("Hello.", 1), says("Yes.", 2)],
	});
	// The status takes a message that the history does not have yet into it.
	const path = look(({ log }) => {
		log.append([
			{
				type: "Message",
				session: "s1",
				host: "openclaw",
				ts: 3,
				payload: { form: "pi", role: "user", raw: user("And now?", 3) },
			},
		]);
		return log.path;
	});
	const saboteur = new DatabaseSync(path);
	const tables = saboteur
		.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
		.all();
	for (const { name } of tables) {
		if (/^sqlite_/.test(String(name))) continue;
		for (const verb of ["INSERT", "UPDATE"]) {
			const body = "BEGIN SELECT RAISE(ABORT, 'no space left'); END";
			saboteur.exec(`CREATE TRIGGER "${verb} ${name}" BEFORE ${verb} ON "${name}" ${body}`);
		}
	}
	const say = async (name: string, args = "") =>
		(await commands.get(name)!.handler({ ...PLACE, workspaceDir: cwd, args })).text;
	assert.match(await say("weft"), /^weft: .*no space left[\s\S]*'weft doctor' checks the log\.\n\nOpenClaw /);
	saboteur.close();
	for (const end of ["", "-wal", "-shm"]) writeFileSync(`${path}${end}`, "not a database, for sure ".repeat(400));
	for (const name of ["weft", "lcm", "warp"]) assert.match(await say(name), /^weft: its log could not be opened: /);
});

test("a hook or a command that names no workspace works in that of the session's agent", () => {
	const agents = { defaults: { workspace: "/all" }, entries: { main: { workspace: "/main" } }, list: [] };
	assert.equal(workspaceOf(PLACE, { agents }), "/main");
	assert.equal(workspaceOf({ sessionKey: "agent:other:s1" }, { agents }), "/all");
	const older = { agents: { list: [{ id: "main", workspace: "/old" }] } };
	assert.equal(workspaceOf({ agentId: "main" }, older), "/old");
	assert.equal(workspaceOf({ ...PLACE, workspaceDir: "/here" }, { agents }), "/here");
});

test("the spawn of a sub-agent is recorded in the log of its agent, whatever workspace the host's default is", async (t) => {
	const { home, cwd, events } = place(t);
	const config = { agents: { defaults: { workspace: home }, entries: { main: { workspace: cwd } } } };
	const { api, engines } = hostApi({ pluginConfig: { home }, config });
	plugin.register(api);
	const weft = await engines.get("weft")!({});
	const child = "agent:main:subagent:1";
	const spawn = { parentSessionKey: "agent:main:s1", parentSessionId: "s1", childSessionKey: child };
	const prepared = await weft.prepareSubagentSpawn({ ...spawn, contextMode: "fork" });
	assert.equal(events("Subagent").length, 1);
	await prepared?.rollback();
	await weft.onSubagentEnded({ childSessionKey: child, reason: "deleted" });
	await weft.onSubagentEnded({ childSessionKey: child, reason: "deleted" });
	const states = events("Custom").map(({ payload }) => (payload["data"] as { state?: string }).state);
	assert.deepEqual(states, ["prepared", "rolled-back", "deleted"]);
	await weft.dispose();
});

test("turns that pass weft by are counted, told once, and explained", () => {
	const seen = new Presence(
		() => 5_000,
		() => undefined,
	);
	const config = { plugins: { slots: { contextEngine: "legacy" } } };
	const call = (runId: string, key = "k") => seen.modelCalled(runId, key, config);
	seen.engineAsked("k");
	assert.equal(call("r1"), undefined);
	seen.engineAsked("k");
	assert.equal(call("r1"), undefined, "the same run, its second call");
	assert.deepEqual(seen.report(), { reason: undefined, runs: 1, ours: 1, passedBy: 0, since: undefined });
	assert.deepEqual([call("r2"), call("r3")], [undefined, undefined]);
	const passed = call("r4");
	assert.deepEqual([passed?.turns, passed?.since], [3, 5_000]);
	assert.match(passed?.todo ?? "", /contextEngine is 'legacy'/);
	assert.equal(call("r5"), undefined, "once is enough");
	assert.deepEqual(seen.report(), { reason: undefined, runs: 5, ours: 1, passedBy: 4, since: 5_000 });
	seen.engineAsked("k");
	call("r6");
	assert.equal(seen.report().passedBy, 0);
	assert.deepEqual([call("r7"), call("r8"), call("r9")?.turns], [undefined, undefined, 3], "once each time");
});

test("/weft says how many turns went past weft, and since when", async (t) => {
	const { home, cwd } = place(t);
	const config = { plugins: { slots: { contextEngine: "legacy" } } };
	const seen = new Presence(
		() => Date.now() - 300_000,
		() => undefined,
	);
	const say = async () =>
		(await runCommand("weft", { cwd, home, env: {} }, PLACE, { seen, config })).split("\n").at(-2);
	seen.modelCalled("r1", "k", config);
	assert.equal(await say(), "OpenClaw does not use weft now: the last turn went past it, 5 minutes ago.");
	seen.modelCalled("r2", "k", config);
	assert.equal(await say(), "OpenClaw does not use weft now: the last 2 turns went past it, the first 5 minutes ago.");
});

test("the host's own words for it are in its log, and are told with the rest", async (t) => {
	const { home, cwd, look } = place(t);
	const file = join(home, "host.log");
	mkdirSync(home, { recursive: true });
	const line = (message: string, time: number) =>
		`${JSON.stringify({ message, time: new Date(time).toISOString() })}\n`;
	const said = (reason: string) =>
		`[context-engine] Context engine "weft" degraded to "legacy" for this logical turn: ${reason}. The "legacy" engine will handle only this turn`;
	const old = line(said("an old story"), 1_000);
	const now = line(said("pending \u001b[31mturns"), 9_000_000);
	writeFileSync(file, `${old}no json [context-engine]\n${now}${line("[context-engine] deferred", 9_000_001)}`);
	const config = { logging: { file } };
	const seen = new Presence(() => 9_000_500);
	const passed = ["r1", "r2", "r3"].map((runId) => seen.modelCalled(runId, "k", config)).at(-1)!;
	assert.equal(passed.reason, "pending turns");
	assert.equal(seen.report({ logging: { file: join(home, "none.log") } }).reason, undefined);
	await recordPassedBy({ cwd, home, env: {} }, passed);
	assert.match(look(({ log }) => checkOpenClaw(log, 9_000_600))!.says, /it says: pending/);
});

test("weft doctor says whether OpenClaw uses weft, since when not, and what to do", async (t) => {
	const { home, cwd, look, engine } = place(t);
	const check = (now = Date.now()) => look(({ log }) => checkOpenClaw(log, now));
	assert.equal(check(), undefined);
	await engine({ now: Date.now }).commitTurn({ ...PLACE, sessionId: "s1", advancementKey: "t1", messages: [] });
	const hour = 3_600_000;
	assert.deepEqual(check(Date.now() + hour + 1_000), {
		name: "openclaw",
		level: "ok",
		says: "uses weft; its newest turn came 1 hour ago",
	});
	await recordPassedBy({ cwd, home, env: {} }, { turns: 3, since: Date.now(), todo: "Choose weft." });
	const { level, says, todo } = check()!;
	assert.deepEqual([level, todo], ["warn", "Choose weft."]);
	assert.equal(says, "does not use weft: 3 turns or more went past it, the first just now");
	await engine({ now: Date.now }).commitTurn({ ...PLACE, sessionId: "s1", advancementKey: "t2", messages: [] });
	assert.equal(check()?.level, "ok");
});
