import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { installFakeAgent, WEFT } from "../../../test/rig/fake-agent.ts";
import { ownPath } from "../../base/file/package-file.ts";
import { quoteWord } from "../../base/shell/quote-word.ts";
import { applyChanges, undoChanges } from "../setup/apply.ts";
import { codexSetup } from "./setup.ts";
import { trustOf } from "./setup-trust.ts";

const OWN_HOOK = { matcher: "Bash", hooks: [{ type: "command", command: "mine" }] };

test("server and hooks beside the user's own, once, and taken back byte for byte", (t) => {
	const config = 'model = "gpt-5.5" # mine\n[analytics]\nenabled = false';
	const hooks = `${JSON.stringify({ hooks: { PreToolUse: [OWN_HOOK] } })}\n`;
	const of = installFakeAgent(t, codexSetup, { "codex/config.toml": config, "codex/hooks.json": hooks });
	assert.equal(of.found.version, "0.166.0");
	applyChanges(of.home, "codex", of.found.folder, codexSetup.plan(of.found, of.options));
	assert.deepEqual(codexSetup.plan(of.found, of.options), [], "a second time there is nothing to do");
	assert.ok(of.read("codex/config.toml").startsWith(config));
	assert.match(
		of.read("codex/config.toml"),
		/\[mcp_servers\.weft\]\ncommand = "sh"\nargs = \[.*weft-start\.sh","\/opt\/weft it","main\.js","mcp"\]/,
	);
	const written = JSON.parse(of.read("codex/hooks.json"));
	assert.deepEqual(written.hooks.PreToolUse[0], OWN_HOOK);
	const script = quoteWord(ownPath("plugin", "weft-hook.sh"));
	const command = `test ! -r ${script} || sh ${script} '/opt/weft it' main.js hook codex`;
	assert.equal(written.hooks.PreToolUse[1].hooks[0].command, command);
	const says = codexSetup.check(of.found, of.options).map((finding) => finding.says);
	assert.deepEqual(says, [
		"0.166.0",
		"server and hooks are installed",
		"hooks are not trusted yet, so they do not run",
	]);
	undoChanges(of.home, "codex", of.found.folder);
	assert.deepEqual([of.read("codex/config.toml"), of.read("codex/hooks.json")], [config, hooks]);
});

test("what Codex would refuse is not written", (t) => {
	const refuse = 'if [ "$1" = mcp ]; then echo "$CODEX_HOME/config.toml:3:1: duplicate key" >&2; exit 1; fi';
	const broken = installFakeAgent(t, codexSetup, { "codex/config.toml": "broken = [" }, refuse);
	assert.throws(
		() => codexSetup.plan(broken.found, broken.options),
		/config\.toml, line 3: duplicate key\. Correct it/,
	);
	const tell = 'if [ "$1" = mcp ]; then echo \'[{"name":"other"}]\'; exit 0; fi';
	const inline = installFakeAgent(t, codexSetup, { "codex/config.toml": "mcp_servers = {}" }, tell);
	assert.throws(
		() => codexSetup.plan(inline.found, inline.options),
		/by hand: weft = \{ command = "sh", args = .*weft-start\.sh","\/opt\/weft it"/,
	);
	const named = installFakeAgent(t, codexSetup, {}, tell.replace("other", "weft"));
	const files = codexSetup.plan(named.found, named.options).map(({ file }) => file);
	const gone = join(named.options.dataHome, "agents/codex/weft-gone.sh");
	assert.deepEqual(files, [join(named.folder, "codex/hooks.json"), gone], "the server that somebody named counts");
});

test("a hooks.json that Codex cannot read is refused before anything is written", (t) => {
	for (const hooks of ['{\n  // mine\n  "hooks": {}\n}\n', '{ "hooks": {}, }\n']) {
		const of = installFakeAgent(t, codexSetup, { "codex/hooks.json": hooks });
		assert.throws(
			() => codexSetup.plan(of.found, of.options),
			/^EngineError: Codex cannot read \S+\/hooks\.json: it is not strict JSON\. Remove comments and trailing commas first; nothing was written\.$/,
		);
	}
	const empty = installFakeAgent(t, codexSetup, { "codex/hooks.json": "" });
	assert.equal(codexSetup.plan(empty.found, empty.options).length, 3);
});

test("another server that is called weft is left, and said", (t) => {
	const named = (command: string, args: string[]) => {
		const list = JSON.stringify([{ name: "weft", transport: { type: "stdio", command, args } }]);
		const config = '[mcp_servers]\nweft = { command = "…" }\n';
		const at = installFakeAgent(
			t,
			codexSetup,
			{ "codex/config.toml": config },
			`if [ "$1" = mcp ]; then echo '${list}'; exit 0; fi`,
		);
		applyChanges(at.home, "codex", at.found.folder, codexSetup.plan(at.found, at.options));
		assert.equal(at.read("codex/config.toml"), config);
		const says = codexSetup.check(at.found, at.options).map((finding) => finding.says);
		return { says: says.slice(1, -1), remarks: codexSetup.remarks!(at.found, at.options) };
	};
	assert.deepEqual(named("old", []), {
		says: ["hooks are installed", "config.toml names another server 'weft', so the model has no lcm_ tools"],
		remarks: ["config.toml names another server 'weft': not changed."],
	});
	const byHand = { says: ["server and hooks are installed"], remarks: [] };
	assert.deepEqual(named("weft", ["--home", "/x", "mcp"]), byHand);
	assert.deepEqual(named("node", ["/opt/x/dist/cli/main.js", "mcp"]), byHand);
});

test("hooks are trusted by their place and hash, as Codex writes it down", () => {
	const hook = { event: "PreToolUse", group: 0, matcher: "apply_patch|Bash", command: "true", seconds: 20 };
	// Written by Codex 0.166.0.
	const hash = "ad3fa42b18ae9e7a9769b1c89d0de05f1e34b475122ec17bcdb019bdd19dcbaf";
	const config = `[hooks.state]\n\n[hooks.state."/c/hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "sha256:${hash}"\n`;
	assert.equal(trustOf(hook, "/c", config), "trusted");
	assert.equal(trustOf({ ...hook, command: "false" }, "/c", config), "changed");
	assert.equal(trustOf({ ...hook, group: 1 }, "/c", config), "unknown");
	assert.equal(trustOf(hook, "/c", `${config}enabled = false\n[tui]\n`), "off");
	assert.equal(trustOf(hook, "/c", `${config}\n[tui]\nenabled = false\n`), "trusted");
});

test("what the user changes afterwards stays when ours is taken out", (t) => {
	const of = installFakeAgent(t, codexSetup, {});
	applyChanges(of.home, "codex", of.found.folder, codexSetup.plan(of.found, of.options));
	const file = join(of.folder, "codex/config.toml");
	writeFileSync(file, `${of.read("codex/config.toml")}\n[tui]\ntheme = "dark"\n`);
	undoChanges(of.home, "codex", of.found.folder);
	assert.equal(of.read("codex/config.toml"), '\n[tui]\ntheme = "dark"\n');
	assert.ok(!existsSync(join(of.folder, "codex/hooks.json")));
});

/** As Codex answers who asks for its settings in force. */
const saying = (config: object) =>
	`case "$*" in *app-server*) read a; echo '{"id":1,"result":{}}'; read b; read c; echo '${JSON.stringify({ id: 2, result: { config } })}'; read d; exit 0;; esac`;

test("one session goes through the proxy to the provider that Codex itself names, or to none", async (t) => {
	const of = (config: object) => installFakeAgent(t, codexSetup, {}, saying(config));
	const plan = (at: ReturnType<typeof of>, args: string[] = [], env: object = {}) =>
		codexSetup.proxied!(at.found, { env: { ...at.env, ...env }, cwd: at.folder, args });
	const own = of({ model_provider: "lab", model_providers: { lab: { base_url: "https://lab.example/api/v2" } } });
	const through = await plan(own);
	assert.ok("args" in through);
	assert.deepEqual(through.args, ["--for", "codex", "--upstream", "https://lab.example"]);
	const run = { weft: WEFT, folder: own.folder, env: own.env, proxy: "http://127.0.0.1:7", provider: through.provider };
	const { args } = codexSetup.command(own.found, ["exec", "hi"], run);
	assert.deepEqual(args.slice(-4), ["-c", 'model_providers.lab.base_url="http://127.0.0.1:7/api/v2"', "exec", "hi"]);

	const twice = ["exec", "-c", 'model_providers.lab.base_url="https://lab.example/api/v2"', "--", "-c", "hi"];
	const onlyOurs = codexSetup.command(own.found, twice, run).args.slice(-5);
	assert.deepEqual(onlyOurs, [args.at(-3), "exec", "--", "-c", "hi"], "the last one would count");

	const key = { OPENAI_API_KEY: "k" };
	const plain = of({});
	assert.ok("why" in (await plan(plain)), "a login that is not a key goes its own way");
	const builtIn = await plan(plain, [], key);
	assert.deepEqual("args" in builtIn && builtIn.args.slice(-2), ["https://api.openai.com", "--record-only"]);
	const gateway = await plan(of({ openai_base_url: "https://gateway.example/v1" }), [], key);
	assert.deepEqual("args" in gateway && gateway.args.at(-2), "https://gateway.example");
	const unsure = [
		await plan(of({ model_provider: "ollama" }), [], key),
		await plan(of({ model_provider: "a.b", model_providers: { "a.b": { base_url: "https://x.example" } } }), [], key),
		await plan(plain, ["--profile", "work"], key),
		await plan(plain, ["-pwork"], key),
		await plan(plain, ["--oss"], key),
		await plan(plain, [], { ...key, OPENAI_BASE_URL: "https://gateway.example" }),
		await plan(installFakeAgent(t, codexSetup, {}), [], key),
	];
	for (const each of unsure) assert.ok("why" in each, JSON.stringify(each));
});

test("with the built-in provider nothing but the address is another one, and seals must be asked for", async (t) => {
	const loggedIn = (how: string) => `case "$*" in "login status") echo "${how}" >&2; exit 0;; esac\n${saying({})}`;
	const at = installFakeAgent(t, codexSetup, {}, loggedIn("API key configured - ***"));
	const session = { env: at.env, cwd: at.folder, args: [] };
	const plan = await codexSetup.proxied!(at.found, session);
	assert.ok("args" in plan, JSON.stringify(plan));
	assert.ok(plan.args.includes("--record-only"));
	assert.match(plan.says!, /recorded, not sealed/);
	const run = { weft: WEFT, folder: at.folder, env: at.env, proxy: "http://127.0.0.1:7", provider: plan.provider };
	const given = ["-copenai_base_url='https://x.example/v1'", "--config=model='m'", "exec", "hi"];
	const { args } = codexSetup.command(at.found, given, run);
	const isOurs = (arg: string | undefined) => arg !== undefined && /^(?:mcp_servers\.weft|hooks\.\w+)=/.test(arg);
	const others = args.filter((arg, at) => !isOurs(arg) && !isOurs(args[at + 1]));
	assert.deepEqual(others, ["-c", 'openai_base_url="http://127.0.0.1:7/v1"', ...given.slice(1)]);
	const older = codexSetup.command({ ...at.found, version: "0.165.3" }, given, run);
	assert.ok(!older.args.some((arg) => arg.startsWith("hooks.")), "it might not start with them");
	assert.match(older.says!, /no edit is guarded/);
	assert.ok(!args.some((arg) => arg.includes("model_provider")), "its name is written into the session");

	const asked = await codexSetup.proxied!(at.found, { ...session, opaqueSeals: true });
	assert.ok("args" in asked && !asked.args.includes("--record-only"));
	assert.match(asked.says!, /only with weft/);

	for (const [name, isSealed] of [
		["OpenAI", false],
		["azure", false],
		["openai", true],
	] as const) {
		const providers = { mine: { name, base_url: "https://x.example/v1" } };
		const own = installFakeAgent(t, codexSetup, {}, saying({ model_provider: "mine", model_providers: providers }));
		const led = await codexSetup.proxied!(own.found, { env: own.env, cwd: own.folder, args: [] });
		assert.ok("args" in led);
		assert.equal(led.args.includes("--record-only"), !isSealed, `Codex asks one that is called ${name} for an item`);
	}

	const account = installFakeAgent(t, codexSetup, {}, loggedIn("Logged in using ChatGPT"));
	const env = { ...account.env, OPENAI_API_KEY: "k" };
	assert.ok("why" in (await codexSetup.proxied!(account.found, { env, cwd: account.folder, args: [] })));
});

test("a weft that was removed is said at the first prompt of a session, and every hook passes", (t) => {
	const of = installFakeAgent(t, codexSetup, {});
	applyChanges(of.home, "codex", of.found.folder, codexSetup.plan(of.found, of.options));
	const { hooks } = JSON.parse(of.read("codex/hooks.json"));
	const answer = (event: string, session: string) => {
		const own = quoteWord(ownPath("plugin", "weft-hook.sh"));
		const command: string = hooks[event][0].hooks[0].command;
		const input = JSON.stringify({ session_id: session, prompt: '"session_id":"x"' });
		const done = spawnSync("sh", ["-c", command.replaceAll(own, "/nowhere/weft-hook.sh")], { input, encoding: "utf8" });
		assert.equal(done.status, 0);
		return done.stdout;
	};
	assert.match(JSON.parse(answer("UserPromptSubmit", "s-1")).systemMessage, /^weft is not installed any more/);
	assert.equal(answer("UserPromptSubmit", "s-1"), "");
	assert.match(answer("UserPromptSubmit", "s-2"), /not installed/);
	for (const event of Object.keys(hooks)) assert.equal(answer(event, "s-2"), "");
	rmSync(join(of.options.dataHome, "agents"), { recursive: true });
	assert.equal(answer("UserPromptSubmit", "s-3"), "");
});
