/** The real Codex: its home, what it says of a request, and how a person trusts hooks in it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ModelRequest, ModelScript, ScriptedCall } from "../../test/rig/answer.ts";
import { AgentWorld } from "./agent-world.ts";
import { programPath } from "./programs.ts";
import { type Kind, Script } from "./script.ts";

const EXEC = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json"];

export class CodexWorld {
	readonly script = new Script(kindOf);
	readonly #world: AgentWorld;
	readonly home: string;

	private constructor(world: AgentWorld, script: Script) {
		this.#world = world;
		this.script = script;
		this.home = join(world.user, "codex");
		mkdirSync(this.home);
	}

	/** `wrap`: a provider that checks what comes back to it. */
	static async start(
		files: Readonly<Record<string, string>> = {},
		wrap: (script: ModelScript) => ModelScript = (script) => script,
	): Promise<CodexWorld> {
		const script = new Script(kindOf);
		const world = await AgentWorld.start("codex", wrap(script.answer));
		for (const [name, text] of Object.entries(files)) writeFileSync(join(world.project, name), text);
		return new CodexWorld(world, script);
	}

	get base(): AgentWorld {
		return this.#world;
	}

	get env(): NodeJS.ProcessEnv {
		const { key } = this.#world;
		return this.#world.env({ CODEX_HOME: this.home, LAB_KEY: key, CODEX_API_KEY: key });
	}

	path(name: string): string {
		return join(this.#world.project, name);
	}

	configure(lines: readonly string[]): void {
		const text = ['model = "gpt-5.5"', ...lines, "[analytics]", "enabled = false", ""].join("\n");
		writeFileSync(join(this.home, "config.toml"), text);
	}

	/** A provider of the user's own: compaction by text. */
	configureLab(...lines: readonly string[]): void {
		this.configure([
			...lines,
			'model_provider = "lab"',
			"[model_providers.lab]",
			'name = "lab"',
			`base_url = "${this.#world.url}/v1"`,
			'env_key = "LAB_KEY"',
			'wire_api = "responses"',
		]);
	}

	read(file: string): ScriptedCall {
		return this.script.call("exec_command", { cmd: `cat ${file}` });
	}

	shell(cmd: string): ScriptedCall {
		return this.script.call("exec_command", { cmd });
	}

	patch(file: string, before: string, after: string): ScriptedCall {
		const input = `*** Begin Patch\n*** Update File: ${file}\n@@\n-${before}\n+${after}\n*** End Patch\n`;
		return this.script.call("apply_patch", {}, { input });
	}

	/** Requests of the main loop. */
	get turns(): ModelRequest[] {
		return this.#world.requests.filter(({ index }) => this.script.kinds[index] === "step");
	}

	/** Arguments of `codex`. `session`: goes on with it. The newest may be a sub-agent's. */
	exec(prompt: string, session?: string): string[] {
		return ["exec", ...(session === undefined ? [] : ["resume", session]), ...EXEC, prompt];
	}

	/** The agent's own files, the sub-agents' among them. */
	get rollouts(): string[] {
		return globSync("sessions/**/rollout-*.jsonl", { cwd: this.home })
			.map((name) => join(this.home, name))
			.sort();
	}

	lines(): string[] {
		return this.rollouts.flatMap((file) =>
			readFileSync(file, "utf8")
				.split("\n")
				.filter((line) => line !== ""),
		);
	}

	/** As Codex's own screen does when a person chooses 'Trust all'. Gives what Codex says of each hook then. */
	trustHooks(): Promise<string[]> {
		return this.#onScreen(async ({ ask }) => {
			const list = async () => {
				const said = (await ask("hooks/list", { cwds: [this.#world.project] })) as { data: { hooks: Hook[] }[] };
				return said.data.flatMap(({ hooks }) => hooks);
			};
			const value = Object.fromEntries(
				(await list()).map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]),
			);
			await ask("config/batchWrite", { edits: [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }] });
			return (await list()).map(({ trustStatus }) => trustStatus);
		});
	}

	/** What the screen shows of hooks while one session takes these prompts. */
	shownOfHooks(...prompts: readonly string[]): Promise<ShownOfHook[]> {
		return this.#onScreen(async ({ ask, heard }) => {
			const place = { cwd: this.#world.project, approvalPolicy: "never", sandbox: "danger-full-access" };
			const { thread } = (await ask("thread/start", place)) as { thread: { id: string } };
			const shown: ShownOfHook[] = [];
			for (const text of prompts) {
				await ask("turn/start", { threadId: thread.id, input: [{ type: "text", text }] });
				for (let said = await heard(); said.method !== "turn/completed"; said = await heard()) {
					if (said.method !== "hook/completed") continue;
					const { status, entries } = said.params["run"] as { status: string; entries: { text: string }[] };
					shown.push({ status, texts: entries.map((entry) => entry.text) });
				}
			}
			return shown;
		});
	}

	async #onScreen<Result>(work: (screen: Screen) => Promise<Result>): Promise<Result> {
		const child = spawn(programPath("codex"), ["app-server"], {
			cwd: this.#world.project,
			env: this.env,
			stdio: ["pipe", "pipe", "ignore"],
		});
		const waiting = new Map<number, (result: unknown) => void>();
		const unheard: Notification[] = [];
		let onHeard = () => {};
		createInterface({ input: child.stdout }).on("line", (line) => {
			const { id, result, error, ...said } = JSON.parse(line);
			if (id !== undefined) return waiting.get(id)?.(result ?? error);
			unheard.push(said);
			onHeard();
		});
		let next = 0;
		const ask = (method: string, params: object) =>
			new Promise<unknown>((done) => {
				waiting.set(++next, done);
				child.stdin.write(`${JSON.stringify({ id: next, method, params })}\n`);
			});
		const heard = async (): Promise<Notification> => {
			for (;;) {
				const said = unheard.shift();
				if (said) return said;
				await new Promise<void>((resolve) => (onHeard = resolve));
			}
		};
		try {
			await ask("initialize", { clientInfo: { name: "test", version: "0" } });
			child.stdin.write('{"method":"initialized"}\n');
			return await work({ ask, heard });
		} finally {
			child.stdin.end();
		}
	}
}

export interface ShownOfHook {
	readonly status: string;
	readonly texts: readonly string[];
}

interface Notification {
	readonly method: string;
	readonly params: Readonly<Record<string, unknown>>;
}

/** Codex's own protocol, which its screen speaks. */
interface Screen {
	readonly ask: (method: string, params: object) => Promise<unknown>;
	/** The next notification. */
	readonly heard: () => Promise<Notification>;
}

interface Hook {
	readonly key: string;
	readonly currentHash: string;
	readonly trustStatus: string;
}

function kindOf({ headers }: ModelRequest): Kind {
	const { request_kind, thread_id, session_id } = JSON.parse(headers["x-codex-turn-metadata"] ?? "{}");
	if (request_kind === "compaction") return "compaction";
	if (request_kind !== "turn") return "side";
	return thread_id === session_id ? "step" : "agent";
}

export interface Item {
	readonly type: string;
	readonly call_id?: string;
	readonly output?: unknown;
	readonly encrypted_content?: string;
	readonly summary?: unknown;
}

export function itemsOf({ json }: ModelRequest): readonly Item[] {
	return json["input"] as Item[];
}

/** Every call has its output after it, and the other way round; reasoning is as it came. */
export function assertWhole(request: ModelRequest): void {
	const calls = new Set<string>();
	const open = new Set<string>();
	for (const { type, call_id = "", encrypted_content } of itemsOf(request)) {
		if (type.endsWith("_call")) {
			calls.add(call_id);
			open.add(call_id);
		}
		if (type.endsWith("_call_output")) {
			assert.ok(calls.has(call_id), `request ${request.index}: an output without its call ${call_id}`);
			open.delete(call_id);
		}
		if (type === "reasoning") assert.equal(encrypted_content, "RU5DUllQVEVELVJFQVNPTklORw==");
	}
	assert.deepEqual([...open], [], `request ${request.index}: calls without an output`);
}

/** What a call was answered, in the newest request that has it. */
export function outputOf(requests: readonly ModelRequest[], { id }: ScriptedCall): string {
	for (const request of requests.toReversed()) {
		const found = itemsOf(request).find(({ call_id, type }) => call_id === id && type.endsWith("_output"));
		if (found) return typeof found.output === "string" ? found.output : JSON.stringify(found.output);
	}
	return "";
}
