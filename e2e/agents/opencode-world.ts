/** The real opencode: its folders, its settings, and what it says of a request. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ModelRequest, ModelScript, ScriptedCall } from "../../test/rig/answer.ts";
import { AgentWorld } from "./agent-world.ts";
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
