/** The real opencode: its folders, its settings, and what it says of a request. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ModelRequest, ModelScript, ScriptedCall } from "../../test/rig/answer.ts";
import { AgentWorld } from "./agent-world.ts";
import { nativeProgram } from "./programs.ts";
import { type Kind, Script } from "./script.ts";

interface OpencodeOptions {
	readonly wrap?: (script: ModelScript) => ModelScript;
	/** The id of the model. */
	readonly model?: string;
	/** Another one that it may be asked for. */
	readonly other?: string;
	/** Tokens of manual thinking; by default opencode does not ask for it. */
	readonly thinkingTokens?: number;
	/** Its tokens. */
	readonly window?: number;
}

export class OpencodeWorld {
	readonly script: Script;
	readonly base: AgentWorld;
	readonly #main: { session?: string | undefined };

	private constructor(base: AgentWorld, script: Script, main: { session?: string | undefined }) {
		this.base = base;
		this.script = script;
		this.#main = main;
	}

	/** `wrap`: what stands around the script, such as a provider that checks thinking. */
	static async start(
		files: Readonly<Record<string, string>> = {},
		{ wrap = (script) => script, model = "scripted", other, window = 200_000, thinkingTokens }: OpencodeOptions = {},
	): Promise<OpencodeWorld> {
		const main: { session?: string | undefined } = {};
		const script = new Script((request): Kind => {
			if (request.body.includes("Here is the conversation so far")) return "compaction";
			if (!((request.json["tools"] as unknown[] | undefined) ?? []).length) return "side";
			const session = request.headers["x-session-id"] ?? request.headers["x-session-affinity"];
			main.session ??= session;
			return session === main.session ? "step" : "agent";
		});
		const base = await AgentWorld.start("opencode", wrap(script.answer));
		for (const [name, text] of Object.entries(files)) writeFileSync(join(base.project, name), text);
		const world = new OpencodeWorld(base, script, main);
		writeFileSync(
			world.path("opencode.json"),
			JSON.stringify(world.#config([model, ...(other === undefined ? [] : [other])], window, thinkingTokens)),
		);
		return world;
	}

	#config(ids: readonly string[], context: number, budgetTokens: number | undefined): object {
		const thinking = budgetTokens === undefined ? {} : { options: { thinking: { type: "enabled", budgetTokens } } };
		const limit = { context, output: 8_000 };
		const models = Object.fromEntries(
			ids.map((id) => [id, { name: id, limit, tool_call: true, reasoning: true, ...thinking }]),
		);
		const options = { baseURL: `${this.base.url}/v1`, apiKey: this.base.key };
		return {
			autoupdate: false,
			share: "disabled",
			snapshot: false,
			model: `lab/${ids[0]}`,
			small_model: `lab/${ids[0]}`,
			permission: { "*": "allow" },
			provider: { lab: { npm: "@ai-sdk/anthropic", name: "lab", options, models } },
		};
	}

	get env(): NodeJS.ProcessEnv {
		const folders = ["DATA", "CONFIG", "CACHE", "STATE"].map((name) => [
			`XDG_${name}_HOME`,
			join(this.base.user, name.toLowerCase()),
		]);
		const switches = ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"].map((name) => [
			`OPENCODE_DISABLE_${name}`,
			"1",
		]);
		return this.base.env(Object.fromEntries([...folders, ...switches]));
	}

	path(name: string): string {
		return join(this.base.project, name);
	}

	read(file: string): ScriptedCall {
		return this.script.call("read", { filePath: this.path(file) });
	}

	shell(command: string): ScriptedCall {
		return this.script.call("bash", { command, description: "runs it" });
	}

	edit(file: string, oldString: string, newString: string): ScriptedCall {
		return this.script.call("edit", { filePath: this.path(file), oldString, newString });
	}

	/** Arguments of `opencode`. `session`: goes on with it. */
	run(prompt: string, session?: string, model?: string): string[] {
		const asked = model === undefined ? [] : ["--model", `lab/${model}`];
		return ["run", "--format", "json", ...asked, ...(session === undefined ? [] : ["--session", session]), prompt];
	}

	/** What opencode's screen would show as toasts while one session takes these prompts. */
	async toasts(...prompts: readonly string[]): Promise<string[]> {
		const [program, args] = [nativeProgram("opencode"), ["serve", "--port", String(await freePort())]];
		const child = spawn(program, args, { cwd: this.base.project, env: this.env, stdio: ["ignore", "pipe", "ignore"] });
		try {
			const address = await new Promise<string>((resolve, reject) => {
				let out = "";
				child.stdout.on("data", (chunk) => {
					out += chunk;
					const found = /http:\/\/[\d.:]+/.exec(out)?.[0];
					if (found !== undefined) resolve(found);
				});
				child.once("close", () => reject(new Error(`opencode has ended: ${out}`)));
			});
			const at = (path: string) => `${address}${path}?directory=${encodeURIComponent(this.base.project)}`;
			const post = async (path: string, body: object) => {
				const headers = { "content-type": "application/json" };
				const answer = await fetch(at(path), { method: "POST", headers, body: JSON.stringify(body) });
				return (await answer.json()) as { readonly id: string };
			};
			const events = await fetch(at("/event"));
			const { id } = await post("/session", {});
			for (const prompt of prompts) await post(`/session/${id}/message`, { parts: [{ type: "text", text: prompt }] });
			// Everything up to here was said before this.
			await post("/tui/show-toast", { title: "test", message: "the end", variant: "info" });
			const shown: string[] = [];
			for await (const line of linesOf(events.body!)) {
				const { type, properties } = JSON.parse(line.replace(/^data: /, "") || "{}");
				if (type !== "tui.toast.show") continue;
				if (properties.message === "the end") break;
				shown.push(properties.message);
			}
			return shown;
		} finally {
			child.kill("SIGKILL");
		}
	}

	/** The next session gets the steps of the script. */
	expectSession(): void {
		this.#main.session = undefined;
	}

	/** Requests of the main loop. */
	get turns(): ModelRequest[] {
		return this.base.requests.filter(({ index }) => this.script.kinds[index] === "step");
	}

	get database(): string {
		return join(this.base.user, "data", "opencode", "opencode.db");
	}

	/** What opencode has of its sessions: the data of each message and part. */
	rows(): string[] {
		const db = new DatabaseSync(this.database, { readOnly: true });
		try {
			const rows = db.prepare("SELECT data FROM message UNION ALL SELECT data FROM part").all();
			return rows.map(({ data }) => String(data));
		} finally {
			db.close();
		}
	}
}

function freePort(): Promise<number> {
	const server = createServer();
	return new Promise((resolve) => {
		server.listen(0, "127.0.0.1", () => {
			const { port } = server.address() as AddressInfo;
			server.close(() => resolve(port));
		});
	});
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncIterable<string> {
	let rest = "";
	for await (const chunk of body) {
		const lines = (rest + Buffer.from(chunk).toString("utf8")).split("\n");
		rest = lines.pop() ?? "";
		yield* lines;
	}
}

/** What a call was answered, in the newest request that has it. */
export function resultOf(requests: readonly ModelRequest[], { id }: ScriptedCall): string {
	for (const request of requests.toReversed()) {
		for (const { content } of request.json["messages"] as { content: unknown }[]) {
			const blocks = Array.isArray(content) ? (content as { tool_use_id?: string; content?: unknown }[]) : [];
			const found = blocks.find(({ tool_use_id }) => tool_use_id === id);
			if (found) return typeof found.content === "string" ? found.content : textOf(found.content);
		}
	}
	return "";
}

function textOf(content: unknown): string {
	return (Array.isArray(content) ? (content as { text?: string }[]) : []).map(({ text }) => text ?? "").join("");
}
