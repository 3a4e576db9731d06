/** A gateway of the real OpenClaw in a folder of its own, and the host's own client to drive it. */
import { type ChildProcess, spawn } from "node:child_process";
import {
	cpSync,
	createWriteStream,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath, pathToFileURL } from "node:url";
import { writeData } from "./data.ts";
import { BOT_TOKEN } from "./telegram.ts";
import { type Call, failCommits, killAtCommit, readCalls } from "./watch.ts";

const OPENCLAW = fileURLToPath(new URL("./node_modules/openclaw/", import.meta.url));
const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
export const TOKEN = "local-test";
/** The machine may be busy: nothing here is a measure of speed. */
const START_MS = 300_000;
const TURN_MS = 600_000;
const STOP_MS = 60_000;
const MAX_STARTS = 5;

/** Windows are models and tool sets are agents, so that one gateway serves all. `other` and `opus` speak Anthropic's protocol. */
export const AGENTS = {
	"few-64": { window: 64_000, tools: "few", provider: "fake" },
	"many-64": { window: 64_000, tools: "many", provider: "fake" },
	"few-200": { window: 200_000, tools: "few", provider: "fake" },
	"many-200": { window: 200_000, tools: "many", provider: "fake" },
	other: { window: 64_000, tools: "few", provider: "claude" },
	/** By its name the host knows that it binds thinking to what is before it. */
	opus: { window: 64_000, tools: "few", provider: "anthropic", model: "claude-opus-5-5" },
	/** It may change files. */
	desk: { window: 64_000, tools: "desk", provider: "fake" },
} as const;
export type Agent = keyof typeof AGENTS;

const FEW_TOOLS = [
	"read",
	"exec",
	"lcm_grep",
	"lcm_describe",
	"lcm_expand",
	"decide",
	"recall",
	"thread",
	"ask",
	"rewind",
];

const TOOLS_OF = { few: FEW_TOOLS, desk: [...FEW_TOOLS, "write", "edit"], many: undefined } as const;

/** Another model that binds thinking, for a switch. */
export const OTHER_BINDING_MODEL = "claude-sonnet-5-5";

export interface Answered {
	readonly ok: boolean;
	readonly text: string;
	readonly ms: number;
}

export interface Client {
	start(): void;
	stop(): void;
	request(method: string, params: unknown, options?: object): Promise<Record<string, unknown>>;
}

export class Gateway {
	readonly root: string;
	readonly #modelUrl: string;
	#engine: "weft" | "legacy";
	#summaries = false;
	/** The policy of seals. The scripted model costs nothing; by default seals come as with a paid one. */
	#seal = "thrift";
	#memoryModels = "none";
	readonly #telegram: string | undefined;
	#port = 0;
	#process: ChildProcess | undefined;
	#client: Client | undefined;
	#count = 0;
	#starts = 0;

	/** `telegram`: where its Bot API is. Whoever writes there talks with `few-64`, each person in a session of their own. */
	constructor(name: string, engine: "weft" | "legacy", modelUrl: string, telegram?: string) {
		this.root = mkdtempSync(join(tmpdir(), `weft-e2e-${name}-`));
		this.#engine = engine;
		this.#modelUrl = `${modelUrl}/${engine}`;
		this.#telegram = telegram;
		for (const folder of ["home", "state"]) mkdirSync(join(this.root, folder));
		for (const agent of Object.keys(AGENTS)) {
			const data = join(this.workspace(agent), "data");
			mkdirSync(data, { recursive: true });
			writeData(data);
		}
		writePlugin(this.root);
	}

	/** Each agent has one of its own, and so a log of its own. */
	workspace(agent: string): string {
		return join(this.root, "work", agent);
	}

	get engine(): "weft" | "legacy" {
		return this.#engine;
	}

	get home(): string {
		return join(this.root, "weft");
	}

	/** What the gateway has said on stderr since it was started first. */
	warnings(): string[] {
		return readFileSync(join(this.root, "gateway.err"), "utf8").split("\n");
	}

	/** Summaries by the agent's model are off by default: what they take depends on the machine. */
	async start(
		engine = this.#engine,
		{ summaries = false, seal = "thrift", memoryModels = "none" } = {},
	): Promise<void> {
		this.#engine = engine;
		this.#summaries = summaries;
		this.#seal = seal;
		this.#memoryModels = memoryModels;
		for (let tries = 1; !(await this.#launch()); tries++)
			if (tries === MAX_STARTS)
				throw new Error(`the gateway ended ${tries} times: ${this.warnings().slice(-9).join("\n")}`);
		this.#client = await connectTo(this.#port);
	}

	/** False: it ended before it was ready. On a busy machine it gives up when a part of its own takes five seconds. */
	async #launch(): Promise<boolean> {
		this.#port = await freePort();
		writeFileSync(join(this.root, "openclaw.json"), JSON.stringify(this.#config(), null, 1));
		const out = createWriteStream(join(this.root, "gateway.out"), { flags: "a" });
		const err = createWriteStream(join(this.root, "gateway.err"), { flags: "a" });
		const child = spawn(
			process.execPath,
			[join(OPENCLAW, "openclaw.mjs"), "gateway", "run", "--port", `${this.#port}`],
			{
				cwd: this.root,
				env: this.#env(),
				stdio: ["ignore", "pipe", "pipe"],
			},
		);
		this.#process = child;
		this.#starts++;
		child.stdout!.pipe(out);
		child.stderr!.pipe(err);
		return new Promise((done, failed) => {
			const timer = setTimeout(() => failed(new Error("the gateway did not become ready")), START_MS);
			const settle = (isReady: boolean) => {
				clearTimeout(timer);
				done(isReady);
			};
			child.stdout!.on("data", (chunk) => {
				if (String(chunk).includes("[gateway] agent model:")) settle(true);
			});
			child.once("exit", () => settle(false));
		});
	}

	async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
		this.#client?.stop();
		const child = this.#process;
		this.#process = undefined;
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		const ended = new Promise((done) => child.once("exit", done));
		child.kill(signal);
		// The host waits for minutes where it believes that a call of its own is still under way.
		const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
		await ended;
		clearTimeout(timer);
	}

	remove(): void {
		rmSync(this.root, { recursive: true, force: true });
	}

	async request(method: string, params: unknown): Promise<Record<string, unknown>> {
		return this.#client!.request(method, params, { timeoutMs: TURN_MS });
	}

	/** One turn of a session. */
	async turn(agent: Agent, session: string, message: string): Promise<Answered> {
		const started = Date.now();
		const params = { message, sessionKey: keyOf(agent, session), agentId: agent, idempotencyKey: this.#runId() };
		try {
			const options = { expectFinal: true, timeoutMs: TURN_MS };
			const answer = await this.#client!.request("agent", params, options);
			const result = answer["result"] as { payloads?: { text?: string; isError?: boolean }[] } | undefined;
			const [payload] = result?.payloads ?? [];
			const ok = answer["status"] === "ok" && payload?.isError !== true;
			return { ok, text: payload?.text ?? "", ms: Date.now() - started };
		} catch (error) {
			return { ok: false, text: error instanceof Error ? error.message : String(error), ms: Date.now() - started };
		}
	}

	/** Another model from the next turn on: `provider/model`. */
	async switchModel(agent: Agent, session: string, model: string): Promise<void> {
		await this.request("sessions.patch", { key: keyOf(agent, session), model });
	}

	/** What the host has called so far, and what was answered. */
	calls(): Call[] {
		return readCalls(this.root);
	}

	/** The next commits fail, so many of them. */
	failCommits(times: number): void {
		failCommits(this.root, times);
	}

	/** The gateway dies at its next commit. Resolves when it is dead. */
	async dieAtCommit(when: "before" | "after", work: () => Promise<unknown>): Promise<void> {
		const dead = new Promise((done) => this.#process!.once("exit", done));
		killAtCommit(this.root, when);
		void work();
		await dead;
		await this.stop();
	}

	/** Files of weft's that the gateway has open now. */
	openFiles(): string[] {
		const folder = `/proc/${this.#process!.pid}/fd`;
		const targets = readdirSync(folder).map((fd) => {
			try {
				return readlinkSync(join(folder, fd));
			} catch {
				// It was closed meanwhile.
				return "";
			}
		});
		return targets.filter((target) => target.startsWith(this.home));
	}

	/** Rows of turns that the host has not been able to deliver. */
	outbox(agent: Agent): number {
		const path = join(this.root, "state/agents", agent, "agent/openclaw-agent.sqlite");
		const db = new DatabaseSync(path, { readOnly: true });
		try {
			const row = db.prepare("SELECT count(*) AS n FROM context_engine_turn_outbox").get() as { n: number };
			return row.n;
		} finally {
			db.close();
		}
	}

	#runId(): string {
		return `run-${this.#starts}-${++this.#count}`;
	}

	#env(): NodeJS.ProcessEnv {
		const { PATH, TMPDIR } = process.env;
		return {
			PATH,
			TMPDIR,
			HOME: join(this.root, "home"),
			OPENCLAW_STATE_DIR: join(this.root, "state"),
			OPENCLAW_CONFIG_PATH: join(this.root, "openclaw.json"),
			...(this.#telegram === undefined && { OPENCLAW_SKIP_CHANNELS: "1" }),
			NO_COLOR: "1",
			WEFT_SEAL: this.#seal,
			WEFT_MEMORY_MODELS: this.#memoryModels,
		};
	}

	#config() {
		const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
		const model = (thousands: number, id = `m${thousands}`, reasoning = false) => ({
			id,
			name: id,
			reasoning,
			input: ["text"],
			cost,
			contextWindow: thousands * 1_000,
			maxTokens: 2_048,
		});
		const apiKey = "sk-none";
		const entry = { enabled: true, config: { home: this.home, summaries: this.#summaries } };
		const channel = this.#telegram === undefined ? [] : ["telegram"];
		const load = { allow: ["weft", "anthropic", ...channel], load: { paths: [join(this.root, "plugin")] } };
		// Under either engine the plugin is there: the agents have the same tools.
		const plugins = { ...load, slots: { contextEngine: this.#engine }, entries: { weft: entry } };
		return {
			agents: {
				defaults: {
					model: { primary: "fake/m64" },
					workspace: this.workspace("nobody"),
					skipBootstrap: true,
					heartbeat: { every: "0m" },
					contextPruning: { mode: "cache-ttl", ttl: "5m" },
					systemAgent: { agentId: "few-64" },
				},
				entries: Object.fromEntries(
					Object.entries(AGENTS).map(([id, { window, tools, provider, ...named }]) => [
						id,
						{
							workspace: this.workspace(id),
							model: { primary: `${provider}/${"model" in named ? named.model : `m${window / 1_000}`}` },
							...(TOOLS_OF[tools] && { tools: { allow: TOOLS_OF[tools] } }),
						},
					]),
				),
			},
			models: {
				mode: "merge",
				providers: {
					fake: {
						baseUrl: `${this.#modelUrl}/v1`,
						apiKey,
						api: "openai-completions",
						models: [model(24), model(64), model(200)],
					},
					claude: { baseUrl: this.#modelUrl, apiKey, api: "anthropic-messages", models: [model(64)] },
					anthropic: {
						baseUrl: this.#modelUrl,
						apiKey,
						api: "anthropic-messages",
						models: [model(64, AGENTS.opus.model, true), model(64, OTHER_BINDING_MODEL, true)],
					},
				},
			},
			plugins,
			...(this.#telegram !== undefined && telegramConfig(this.#telegram)),
			tools: { toolSearch: false, codeMode: false, ...(this.#telegram !== undefined && { media: TRANSCRIBER }) },
			gateway: { mode: "local", port: this.#port, bind: "loopback", auth: { mode: "token", token: TOKEN } },
		};
	}
}

/** The recordings of the tests are text. */
const TRANSCRIBER = {
	models: [
		{
			type: "cli",
			command: process.execPath,
			args: [
				"-e",
				"process.stdout.write(require('fs').readFileSync(process.argv[1], 'utf8').trim())",
				"{{AttachmentPath}}",
			],
			capabilities: ["audio"],
		},
	],
};

function telegramConfig(apiRoot: string) {
	const open = { dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open", groups: { "*": { requireMention: false } } };
	return {
		channels: { telegram: { enabled: true, botToken: BOT_TOKEN, apiRoot, ...open } },
		session: { dmScope: "per-channel-peer" },
		bindings: [{ agentId: "few-64", match: { channel: "telegram" } }],
	};
}

/** The host's own client, once the gateway has said hello. */
export async function connectTo(port: number): Promise<Client> {
	const module = (await import(join(OPENCLAW, "dist/plugin-sdk/gateway-runtime.js"))) as {
		GatewayClient: new (options: object) => Client;
	};
	return new Promise((done, failed) => {
		const timer = setTimeout(() => failed(new Error("the gateway did not say hello")), START_MS);
		const client = new module.GatewayClient({
			url: `ws://127.0.0.1:${port}`,
			token: TOKEN,
			clientName: "gateway-client",
			mode: "backend",
			role: "operator",
			scopes: ["operator.admin", "operator.read", "operator.write"],
			deviceIdentity: null,
			onHelloOk: () => {
				clearTimeout(timer);
				done(client);
			},
			onConnectError: () => {},
		});
		client.start();
	});
}

export function keyOf(agent: Agent, session: string): string {
	return `agent:${agent}:${session}`;
}

/** The plugin of this checkout in a folder of its own: the host looks through all of a plugin's folder when it starts. */
function writePlugin(root: string): void {
	const folder = join(root, "plugin");
	mkdirSync(folder);
	const plugin = pathToFileURL(join(REPOSITORY, "dist/agent/openclaw/plugin.js"));
	const watch = new URL("./watch.ts", import.meta.url);
	const lines = [
		`import plugin from "${plugin}";`,
		`import { watched } from "${watch}";`,
		`export default watched(plugin, ${JSON.stringify(root)});`,
	];
	writeFileSync(join(folder, "index.js"), `${lines.join("\n")}\n`);
	cpSync(join(REPOSITORY, "openclaw.plugin.json"), join(folder, "openclaw.plugin.json"));
	const pack = { name: "weft", version: "0.0.0", type: "module", openclaw: { extensions: ["./index.js"] } };
	writeFileSync(join(folder, "package.json"), JSON.stringify(pack));
}

export async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	const { port } = server.address() as { port: number };
	await new Promise((done) => server.close(done));
	return port;
}
