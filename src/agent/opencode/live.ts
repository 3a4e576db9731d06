/**
 * A running session of opencode, seen from a process of our own. opencode's plugin asks it before each request, and before
 * and after each tool. The messages come from opencode's own database; the planner makes the request: a seed, and the
 * messages since.
 */
import { basename, dirname, resolve } from "node:path";
import { asInteger, asName, asNumber, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import type { Plan } from "../../context/plan.ts";
import { isRecall, recalledInto } from "../../context/session-patches.ts";
import type { Engine } from "../../engine.ts";
import { toolClass } from "../../state/session/tool-class.ts";
import type { LiveSessionFiles } from "../live/live-session-files.ts";
import { pluginNotice } from "../live/plugin-version.ts";
import type { LiveProject } from "../live/project.ts";
import { insideText, type LiveSession, type ToolCall } from "../live/session.ts";
import type { WholeOutput } from "../live/tool-result.ts";
import { readWholeOutput } from "../recorded/whole-output.ts";
import { OPENCODE_PORT } from "./port.ts";
import { OUTPUT_FOLDER } from "./session.ts";

const OPENCODE = OPENCODE_PORT.name;
/** How the user finds what left. */
const SEARCH = "weft grep WORDS";

export interface OpencodeLiveOptions {
	readonly files: LiveSessionFiles;
	readonly cwd: string;
	/** Tokens of the model's window; by default the plugin's number. */
	readonly window?: number | undefined;
}

export class OpencodeLive {
	readonly #options: OpencodeLiveOptions;
	readonly #names = new Map<string, string>();
	/** Sessions that asked; `end` reads the rest of each. */
	readonly #asked = new Set<string>();
	/** The newest message for which memory was recalled, by session. */
	readonly #recalledFor = new Map<string, number>();
	/** The folder of each session. */
	readonly #folders = new Map<string, string>();
	readonly #notices: string[] = [];
	#isVersionKnown = false;

	constructor(options: OpencodeLiveOptions) {
		this.#options = options;
	}

	/** The answer to a question of the plugin. Undefined: nothing changes. Never throws. */
	async answer(question: JsonObject): Promise<JsonObject | undefined> {
		const cwd = asName(question["cwd"]) ?? this.#options.cwd;
		const door = this.#options.files.doorFor(cwd);
		this.#tellOfVersion(asText(question["plugin"]));
		const answer = await door.passAsync(`hook ${question["kind"]}`, () => this.#answer(question, cwd));
		const notice = this.#notices.splice(0).join("\n");
		return notice === "" ? answer : { ...answer, notice };
	}

	#tellOfVersion(plugin: string | undefined): void {
		if (this.#isVersionKnown) return;
		this.#isVersionKnown = true;
		const notice = pluginNotice(plugin, "Run 'weft init opencode'.");
		if (notice !== undefined) this.notify(notice);
	}

	/** Shown to the user with the next answer: this process has no terminal. */
	notify(notice: string): void {
		this.#notices.push(notice);
	}

	async #answer(question: JsonObject, cwd: string): Promise<JsonObject | undefined> {
		const id = asName(question["session"]);
		if (id === undefined) return undefined;
		this.#asked.add(id);
		this.#folders.set(id, cwd);
		const { files } = this.#options;
		await files.catchUp({ agent: OPENCODE, id });
		const project = files.projectFor(cwd);
		if (!project) return undefined;
		const name = this.#nameOf(id, project.engine);
		const session = project.session({ session: name, host: OPENCODE }, cwd);
		switch (question["kind"]) {
			case "request":
				return this.#request(project, session, question);
			case "before":
				return judge(session, callOf(question, cwd));
			case "after":
				return look(session, callOf(question, cwd), question);
			case "idle":
				session.turnEnded({ isRunOver: true });
				return undefined;
			case "compacting":
				await session.beforeCompaction();
				return undefined;
			default:
				return undefined;
		}
	}

	/** opencode has ended: reads the rest of its sessions. */
	async end(): Promise<void> {
		const { files } = this.#options;
		for (const id of this.#asked) await files.catchUp({ agent: OPENCODE, id });
		for (const [cwd, ids] of Map.groupBy(this.#asked, (id) => this.#folders.get(id) ?? this.#options.cwd)) {
			const project = files.projectFor(cwd);
			project?.end(...ids.map((id) => ({ session: this.#nameOf(id, project.engine), host: OPENCODE })));
		}
	}

	/** A sub-agent's session is named after the one that it works for. */
	#nameOf(id: string, { log }: Engine): string {
		const known = this.#names.get(id);
		if (known !== undefined) return known;
		const starts = Iterator.from(log.read({ host: OPENCODE, types: ["SessionStarted"], order: "newest" }));
		const name = starts.find(({ session }) => session === id || session.endsWith(`/${id}`))?.session;
		if (name !== undefined) this.#names.set(id, name);
		return name ?? id;
	}

	/** The seed, the first message after it, memory before the user's words, and messages that are sent without their thinking. */
	async #request(project: LiveProject, session: LiveSession, question: JsonObject): Promise<JsonObject | undefined> {
		const { engine, isOff } = project;
		if (isOff || engine.log.readOnly) return undefined;
		const model = asName(question["model"]);
		const window = this.#options.window ?? asNumber(question["window"]);
		session.window = window;
		const input = { ...session.ref, model, window };
		// opencode has written nothing of it yet.
		if (engine.requests.moment({ ...input, decide: false }).path.messages.length === 0) return undefined;
		await this.#recall(engine, session, input);
		const { plan, violations, withoutThinking } = await engine.assemble({ ...input, asksHandlers: false });
		// A sub-agent's context is not the user's.
		// The context of a `warp` run is made for every run: there is nothing to tell.
		const isTold = engine.settings.mode !== "warp" && !session.ref.session.includes("/");
		if (plan.seal && isTold) this.notify(session.sealNotice(plan.seal, SEARCH, model));
		if (violations.length > 0) return undefined;
		const recalled = recalledTexts(plan);
		const isSealed = plan.opening?.by.startsWith("weft/") === true && plan.messages.length > 0;
		if (!isSealed && recalled.length === 0 && withoutThinking.length === 0) return undefined;
		return {
			...(isSealed && { seed: plan.opening?.text, from: plan.messages[0]?.id }),
			// No seed quotes a sub-agent's task, because the user did not write it: its first message stays as it is.
			keepsFirst: session.ref.session.includes("/"),
			recalled,
			withoutThinking,
		};
	}

	/** Once for each message of the user, before the first request that carries it. */
	async #recall(engine: Engine, session: LiveSession, input: Parameters<Engine["plan"]>[0]): Promise<void> {
		const moment = engine.requests.moment({ ...input, decide: false });
		const newest = moment.path.messages.at(-1);
		const { session: name } = session.ref;
		if (newest?.role !== "user" || name.includes("/") || this.#recalledFor.get(name) === newest.seq) return;
		this.#recalledFor.set(name, newest.seq);
		const block = await session.recall(newest.text, input, { moment });
		if (block && engine.requests.recallInto(input, block.text, moment)) session.recalled(block);
	}
}

/** Recalled memory, by the id of the message before which it goes, for messages that the plan keeps. */
function recalledTexts(plan: Plan): JsonObject[] {
	const ids = new Set(plan.messages.map(({ id }) => id));
	return plan.items.flatMap((item) => {
		const found = item.kind === "transform" && isRecall(item.transform) ? recalledInto(item.transform) : undefined;
		return found && ids.has(found.id) ? [{ ...found }] : [];
	});
}

function callOf({ tool, callId, args }: JsonObject, cwd: string): ToolCall {
	const given = asObject(args) ?? {};
	const workdir = asName(given["workdir"]);
	return {
		folder: workdir === undefined ? cwd : resolve(cwd, workdir),
		tool: asName(tool) ?? "",
		callId: asName(callId) ?? "",
		input: given,
	};
}

function judge(session: LiveSession, call: ToolCall): JsonObject | undefined {
	const verdict = session.judge(call);
	return verdict.action === "block" ? { deny: verdict.reason } : undefined;
}

async function look(session: LiveSession, call: ToolCall, question: JsonObject): Promise<JsonObject | undefined> {
	const text = asText(question["output"]) ?? "";
	const exitCode = asInteger(question["exit"]);
	const details = exitCode === undefined ? undefined : { exitCode };
	const findWhole = () => wholeOutput(text, call, question);
	const output = insideText(await session.look(call, { text, isError: false, details, canReplace: true, findWhole }));
	return output === text ? undefined : { output };
}

/** opencode's own words after the output of a command, such as a timeout. */
const STATUS = /\n\n<(bash|shell)_metadata>\n(?:(?!<\1_metadata>)[\s\S]){1,2000}<\/\1_metadata>$/;

/** opencode keeps the whole of a cut output in a folder of its own, and the result's metadata names the file. */
function wholeOutput(text: string, { tool }: ToolCall, question: JsonObject): WholeOutput | "lost" | undefined {
	const path = asName(question["outputPath"]);
	// Searches and reads say `truncated` of an answer that is whole.
	if (path === undefined) return question["truncated"] === true && toolClass(tool) === "shell" ? "lost" : undefined;
	const folder = dirname(path);
	const bytes = basename(folder) === OUTPUT_FOLDER ? readWholeOutput(folder, path) : undefined;
	return bytes ? { text: bytes.toString("utf8"), status: STATUS.exec(text.slice(-3_000))?.[0] ?? "" } : "lost";
}
