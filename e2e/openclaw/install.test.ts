/**
 * The way of a user: a packed tarball into a host that has never heard of weft, with the host's own consent and scanner, a
 * turn, and away again. And what the host's inspector of plugins says of the same package.
 */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { TOOLS } from "../../src/tool/catalogue.ts";
import { connectTo, freePort, TOKEN } from "./gateway.ts";
import { wordsOf } from "./measure.ts";
import { ScriptedModel } from "./model.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const OPENCLAW = join(HERE, "node_modules/openclaw");
const INSPECTOR = join(HERE, "node_modules/@openclaw/plugin-inspector");
const COMMAND_MS = 900_000;
const MAX_OUTPUT_BYTES = 64_000_000;

interface Ran {
	readonly code: number;
	readonly text: string;
}

let root: string;
let model: ScriptedModel;
let tarball: string;

before(async () => {
	root = mkdtempSync(join(tmpdir(), "weft-e2e-install-"));
	for (const folder of ["home", "work", "pack"]) mkdirSync(join(root, folder));
	model = await ScriptedModel.start();
	writeFileSync(join(root, "openclaw.json"), JSON.stringify(hostConfig()));
	const packed = await run("npm", ["pack", "--ignore-scripts", "--pack-destination", join(root, "pack")], REPOSITORY);
	assert.equal(packed.code, 0, packed.text);
	tarball = join(root, "pack", readdirSync(join(root, "pack"))[0]!);
});

after(() => {
	model?.stop();
	rmSync(root, { recursive: true, force: true });
});

test("the host's inspector of plugins passes the package", async () => {
	const folder = join(root, "unpacked");
	mkdirSync(folder);
	assert.equal((await run("tar", ["xzf", tarball, "-C", folder])).code, 0);
	const bin = JSON.parse(readFileSync(join(INSPECTOR, "package.json"), "utf8")).bin as Record<string, string>;
	const script = join(INSPECTOR, bin["plugin-inspector"]!);
	const given = ["--plugin-root", join(folder, "package"), "--openclaw", OPENCLAW, "--out", join(root, "reports")];
	const { code, text } = await run(process.execPath, [script, "ci", ...given], root);
	assert.match(text, /Status: PASS/);
	assert.deepEqual([code, /Breakages: 0/.test(text)], [0, true], text);
});

test("it is not installed without the user's consent, and with it it is chosen", async () => {
	const refused = await openclaw("plugins", "install", `npm-pack:${tarball}`);
	assert.notEqual(refused.code, 0, refused.text);
	assert.equal(slot(), undefined, "nothing has changed");
	const installed = await openclaw("plugins", "install", `npm-pack:${tarball}`, "--force", "--accept-capabilities");
	assert.equal(installed.code, 0, installed.text);
	assert.doesNotMatch(installed.text, /dangerous|suspicious|blocked/i);
	assert.equal(slot(), "weft");
	const { code, text } = await openclaw("plugins", "inspect", "weft", "--runtime", "--json");
	assert.equal(code, 0, text);
	for (const { name } of TOOLS) assert.ok(text.includes(`"${name}"`), `${name}: ${text.slice(0, 2_000)}`);
	for (const name of ["weft", "lcm", "warp"]) assert.match(text, new RegExp(`"${name}"`));
});

test("the host uses it in the first turn", async () => {
	const asked = ["--agent", "main", "--session-key", "agent:main:t1", "--message", "hello there", "--json"];
	const { code, text } = await openclaw("agent", "--local", ...asked);
	assert.equal(code, 0, text.slice(-3_000));
	// That upkeep waits until after the reply is no complaint.
	assert.doesNotMatch(text, /\[context-engine\] (?!deferred turn maintenance)/);
	const request = model.requests.find((each) => wordsOf(each).includes("hello there"));
	const names = JSON.stringify(request?.tools);
	for (const { name } of TOOLS) assert.ok(names.includes(`"${name}"`), `${name} is behind the host's search for tools`);
	assert.ok(existsSync(join(weftHome(), "projects")), "it has a log");
});

test("away again under a running gateway: the session goes on with the host's own engine, and weft's log stays", async (t) => {
	const port = await freePort();
	const config = JSON.parse(readFileSync(configFile(), "utf8"));
	config.gateway = { mode: "local", port, bind: "loopback", auth: { mode: "token", token: TOKEN } };
	writeFileSync(configFile(), JSON.stringify(config));
	const gateway = spawn(process.execPath, [join(OPENCLAW, "openclaw.mjs"), "gateway", "run", "--port", `${port}`], {
		cwd: root,
		env: { ...hostEnv(), OPENCLAW_SKIP_CHANNELS: "1" },
		stdio: ["ignore", "pipe", "ignore"],
	});
	const ended = once(gateway, "exit");
	let isOver = false;
	t.after(() => isOver || gateway.kill("SIGKILL"));
	await new Promise<void>((done, failed) => {
		gateway.stdout.on("data", (chunk) => String(chunk).includes("[gateway] agent model:") && done());
		gateway.once("exit", () => failed(new Error("the gateway ended before it was ready")));
	});
	const client = await connectTo(port);
	let turns = 0;
	const say = async (message: string) => {
		const ids = { sessionKey: "agent:main:t2", agentId: "main", idempotencyKey: `run-${++turns}` };
		const answer = await client.request("agent", { message, ...ids }, { expectFinal: true, timeoutMs: COMMAND_MS });
		assert.equal(answer["status"], "ok", JSON.stringify(answer).slice(0, 300));
	};
	await say("The word is OSPREY.");
	const { code, text } = await openclaw("plugins", "uninstall", "weft", "--force");
	assert.equal(code, 0, text);
	assert.ok([undefined, "legacy"].includes(slot()), `the slot is ${slot()}`);
	await say("Which word was it?");
	const last = model.requests.findLast((each) => wordsOf(each).includes("Which word was it?"));
	assert.match(wordsOf(last!), /OSPREY/, "the host has its whole transcript");
	client.stop();
	gateway.kill("SIGTERM");
	await ended;
	isOver = true;
	assert.ok(existsSync(join(weftHome(), "projects")));
});

function weftHome(): string {
	return join(root, "home/.local/share/weft");
}

function configFile(): string {
	return join(root, "openclaw.json");
}

function slot(): string | undefined {
	const config = JSON.parse(readFileSync(configFile(), "utf8"));
	return config.plugins?.slots?.contextEngine;
}

function openclaw(...args: string[]): Promise<Ran> {
	return run(process.execPath, [join(OPENCLAW, "openclaw.mjs"), ...args], root);
}

/** In a home of its own; where packages come from, and by which certificates, is the machine's business. */
function run(command: string, args: readonly string[], cwd = root): Promise<Ran> {
	const options = { cwd, env: hostEnv(), timeout: COMMAND_MS, maxBuffer: MAX_OUTPUT_BYTES };
	return new Promise((done) => {
		execFile(command, args, options, (error, out, err) => {
			const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
			done({ code, text: `${out}\n${err}` });
		}).stdin?.end();
	});
}

function hostEnv(): NodeJS.ProcessEnv {
	const { NODE_TEST_CONTEXT: _, ...machine } = process.env;
	return {
		npm_config_cache: join(homedir(), ".npm"),
		npm_config_userconfig: join(homedir(), ".npmrc"),
		...machine,
		HOME: join(root, "home"),
		OPENCLAW_STATE_DIR: join(root, "state"),
		OPENCLAW_CONFIG_PATH: join(root, "openclaw.json"),
		NO_COLOR: "1",
	};
}

/** A host as its user has it: an agent, a model, no plugin. */
function hostConfig(): object {
	const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
	const own = {
		id: "m64",
		name: "m64",
		reasoning: false,
		input: ["text"],
		cost,
		contextWindow: 64_000,
		maxTokens: 2_048,
	};
	const fake = { baseUrl: `${model.url}/v1`, apiKey: "sk-none", api: "openai-completions", models: [own] };
	return {
		agents: { defaults: { model: { primary: "fake/m64" }, workspace: join(root, "work"), skipBootstrap: true } },
		models: { mode: "merge", providers: { fake } },
	};
}
