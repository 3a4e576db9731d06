/**
 * A session of opencode that runs now, seen from a process beside it. opencode's plugin asks before each request, before and after
 * each tool. The bytes come from opencode's own database; the request is the planner's: a seed, and the messages since.
 */
import { resolve } from "node:path";
import { asInteger, asName, asNumber, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { GuardCall } from "../../guard/types.ts";
import { boundOutput } from "../live/bound-output.ts";
import { fleetNotes } from "../live/fleet-recall.ts";
import type { LiveFiles } from "../live/live-files.ts";

export const OPENCODE = "opencode";

export interface OpencodeLiveOptions {
	readonly files: LiveFiles;
	readonly cwd: string;
	/** Tokens of the model's window; by default what the plugin says. */
	readonly window?: number | undefined;
}

export class OpencodeLive {
	readonly #options: OpencodeLiveOptions;
	readonly #names = new Map<string, string>();
	readonly #asked = new Set<string>();

	constructor(options: OpencodeLiveOptions) {
		this.#options = options;
	}

	/** What a question of the plugin is answered; undefined: nothing changes. */
	async answer(question: JsonObject): Promise<JsonObject | undefined> {
		const id = asName(question["session"]);
		if (id === undefined) return undefined;
		this.#asked.add(id);
		await this.#options.files.catchUp({ agent: OPENCODE, id });
		const engine = this.#options.files.engineFor(asName(question["cwd"]) ?? this.#options.cwd);
		if (!engine) return undefined;
		const session = this.#nameOf(id, engine);
		switch (question["kind"]) {
			case "request":
				return this.#request(engine, session, question);
			case "before":
				return judge(engine, this.#call(session, question));
			case "after":
				return lookAfter(engine, this.#call(session, question), question);
			default:
				return undefined;
		}
	}

	/** opencode is gone: reads in the last of what it wrote. */
	async end(): Promise<void> {
		for (const id of this.#asked) await this.#options.files.catchUp({ agent: OPENCODE, id });
	}

	/** A sub-agent's session stands under the one that it works for. */
	#nameOf(id: string, { log }: Engine): string {
		const known = this.#names.get(id);
		if (known !== undefined) return known;
		const starts = Iterator.from(log.read({ host: OPENCODE, types: ["SessionStarted"], order: "newest" }));
		const name = starts.find(({ session }) => session === id || session.endsWith(`/${id}`))?.session;
		if (name !== undefined) this.#names.set(id, name);
		return name ?? id;
	}

	/** The seed, and the first message that stays. */
	async #request(engine: Engine, session: string, question: JsonObject): Promise<JsonObject | undefined> {
		if (engine.log.readOnly) return undefined;
		// Nothing of it is written down yet.
		if (engine.requests.moment({ session, host: OPENCODE, decide: false }).path.messages.length === 0) return undefined;
		const model = asName(question["model"]);
		const window = this.#options.window ?? asNumber(question["window"]);
		const { plan, violations } = await engine.assemble({ session, host: OPENCODE, model, window });
		const from = plan.messages[0]?.id;
		if (!plan.opening?.by.startsWith("weft/") || from === undefined || violations.length > 0) return undefined;
		// What a sub-agent is to do was not said by the user, so no seed quotes it: its first message stays as it is.
		return { seed: plan.opening.text, from, keepsFirst: session.includes("/") };
	}

	#call(session: string, { tool, callId, args, cwd: told }: JsonObject): GuardCall {
		const given = asObject(args) ?? {};
		const cwd = asName(told) ?? this.#options.cwd;
		const workdir = asName(given["workdir"]);
		return {
			session,
			host: OPENCODE,
			cwd,
			folder: workdir === undefined ? cwd : resolve(cwd, workdir),
			tool: asName(tool) ?? "",
			callId: asName(callId) ?? "",
			input: guardInput(given),
		};
	}
}

/** opencode's name of a file, as the guard knows it. */
function guardInput(args: JsonObject): JsonObject {
	return "filePath" in args ? { ...args, path: args["filePath"] } : args;
}

function judge(engine: Engine, call: GuardCall): JsonObject | undefined {
	const outcome = engine.judge(call);
	return outcome.action === "block" ? { deny: outcome.reason } : undefined;
}

async function lookAfter(engine: Engine, call: GuardCall, question: JsonObject): Promise<JsonObject | undefined> {
	const { tool, callId } = call;
	const text = asText(question["output"]) ?? "";
	const shown = boundOutput(engine, call, text);
	const exit = asInteger(question["exit"]);
	const result = {
		kind: "result",
		tool,
		callId,
		text: shown ?? text,
		isError: false,
		details: exit === undefined ? undefined : { exitCode: exit },
	} as const;
	const { notes } = engine.observe(call, result);
	const said = [...notes, ...(await fleetNotes(engine, call, result))].map((note) => `[weft] ${note}`);
	if (shown === undefined && said.length === 0) return undefined;
	return { output: [shown ?? text, ...said].join("\n\n") };
}
