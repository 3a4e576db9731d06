/**
 * The tool `subagent`: runs a task in a separate headless Pi, in the same folder with the same model. The sub-agent sees its
 * task and, on request, a part of the memory; its parent sees its last message. weft records it in the same log, as a side
 * chain of its parent.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import Type, { type Static, type TUnsafe } from "typebox";
import { ownPath } from "../../base/file/package-file.ts";
import { asList, asObject, asText } from "../../base/json/read.ts";
import { cutStart } from "../../base/text/cut.ts";
import { MEMORY_SCOPES } from "../../state/memory/skill/skill.ts";
import { textArgument, wordArgument } from "../../tool/types.ts";
import { taskWithContext } from "../live/subagent-context.ts";
import type { LivePi } from "./live.ts";
import { PARENT_VARIABLE } from "./port.ts";
import { namedSubagent } from "./subagent-files.ts";

const SUBAGENT_TOOL = "subagent";

const CONTEXT_MODES = ["isolated", "contextual"] as const;
const TIME_LIMIT_MS = 30 * 60_000;
const MAX_ANSWER_CHARS = 20_000;
const MAX_TASK_CHARS = 50_000;
const MAX_STDERR_CHARS = 2_000;

/** A plain string enum, which all providers understand. */
function enumeration<const Word extends string>(
	words: readonly Word[],
	options: { readonly description: string; readonly default?: Word },
): TUnsafe<Word> {
	return Type.Unsafe<Word>({ type: "string", enum: [...words], ...options });
}

const PARAMETERS = Type.Object({
	task: Type.String({ description: "What to do, and what to report back. It sees nothing of this conversation." }),
	contextMode: Type.Optional(
		enumeration(CONTEXT_MODES, {
			description: "isolated: the task alone. contextual: with a part of the project's memory before it.",
			default: "isolated",
		}),
	),
	memory: Type.Optional(
		enumeration(MEMORY_SCOPES, {
			description:
				"With contextual: none, relevant (what bears on the task), session (the state of this work), channel (both, and what holds for good).",
			default: "relevant",
		}),
	),
	agent: Type.Optional(Type.String({ description: "A sub-agent that the user has defined, by its name" })),
	tools: Type.Optional(Type.String({ description: "Comma-separated names of the only tools that it may use" })),
});

export function registerSubagent(pi: ExtensionAPI, live: () => LivePi | undefined): void {
	// A sub-agent starts no sub-agents, and another extension's tool of this name stays.
	if (process.env[PARENT_VARIABLE] !== undefined || pi.getAllTools().some(({ name }) => name === SUBAGENT_TOOL)) return;
	pi.registerTool({
		name: SUBAGENT_TOOL,
		label: "Sub-agent",
		description:
			"Give a task to a sub-agent with a context of its own. It works in this folder with the same tools and answers with its last message. For work that needs much reading and has a short result.",
		promptSnippet: "Give a task to a sub-agent with its own context",
		promptGuidelines: [],
		parameters: PARAMETERS,
		// Models also send a JSON list of names.
		prepareArguments: (args) => {
			const given = asObject(args) ?? {};
			const tools = given["tools"];
			return (Array.isArray(tools) ? { ...given, tools: tools.join(",") } : args) as Static<typeof PARAMETERS>;
		},
		execute: async (callId, params, signal) => {
			const now = live();
			if (!now) throw new Error("weft keeps no record of this session, so it starts no sub-agent.");
			const { text, details } = await runSubagent(now, callId, params as Record<string, unknown>, signal);
			return { content: [{ type: "text", text }], details };
		},
	});
}

async function runSubagent(
	live: LivePi,
	callId: string,
	args: Readonly<Record<string, unknown>>,
	signal: AbortSignal | undefined,
): Promise<{ readonly text: string; readonly details: object }> {
	const { engine, session } = live;
	const task = textArgument(args["task"]).trim();
	if (task === "" || task.length > MAX_TASK_CHARS) throw new Error("The task is empty or too long. Say what to do.");
	const name = textArgument(args["agent"]).trim();
	const named = name === "" ? undefined : await namedSubagent(live, name);
	const isContextual = named?.memory !== undefined && named.memory !== "none";
	const contextMode = wordArgument(args["contextMode"], CONTEXT_MODES, isContextual ? "contextual" : "isolated");
	const asked = wordArgument(args["memory"], MEMORY_SCOPES, named?.memory ?? "relevant");
	const memory = contextMode === "isolated" ? "none" : asked;
	const now = Date.now();
	const prompt = await taskWithContext(engine, session, `Task: ${task}`, { memory, now });
	const child = childId(session.session, callId);
	engine.record([
		{
			type: "Subagent",
			...session,
			ts: now,
			entry: `subagent ${callId}`,
			payload: { child, task: cutStart(task, 2_000), callId },
		},
	]);
	// A file's list is a limit: the model cannot widen it.
	const tools = named?.tools?.join(",") ?? textArgument(args["tools"]);
	const { role = "", model } = named ?? {};
	const outcome = await runPi(live, { child, prompt, tools, role, model }, signal);
	await live.skills?.run("after_subagent", live);
	if (outcome.failed !== undefined) throw new Error(`The sub-agent failed: ${outcome.failed}`);
	const text =
		outcome.answer === "" ? "The sub-agent ended without a word." : cutStart(outcome.answer, MAX_ANSWER_CHARS);
	return { text, details: { child, contextMode, memory, turns: outcome.turns, toolCalls: outcome.toolCalls } };
}

/** Named after its parent, as all side chains are, in characters that Pi accepts in a session id. */
function childId(parent: string, callId: string): string {
	return `${parent}--${callId
		.replace(/[^\w-]+/g, "-")
		.slice(-40)
		.replace(/^-+|-+$/g, "")}`;
}

interface SubagentOutcome {
	/** The last answer. */
	readonly answer: string;
	readonly turns: number;
	readonly toolCalls: number;
	readonly failed?: string | undefined;
}

interface SubagentRun {
	readonly child: string;
	readonly prompt: string;
	/** "": all. */
	readonly tools: string;
	readonly role: string;
	readonly model: string | undefined;
}

function runPi(live: LivePi, run: SubagentRun, signal: AbortSignal | undefined): Promise<SubagentOutcome> {
	const { child, prompt, tools, role } = run;
	const parent = live.ctx.model;
	const model = run.model ?? (parent && `${parent.provider}/${parent.id}`);
	const args = [
		...process.execArgv,
		...process.argv.slice(1, 2),
		...["--mode", "json", "-p", "--no-session", "--session-id", child, "-e", ownPath("src", "agent", "pi", "index.ts")],
		...(model ? ["--model", model] : []),
		...(role === "" ? [] : ["--append-system-prompt", role]),
		...(live.ctx.isProjectTrusted() ? ["--approve"] : []),
		...(tools.trim() === "" ? [] : ["--tools", tools]),
		prompt,
	];
	// The parent passes on what the sub-agent may know, and keeps the memory itself.
	const env = { ...process.env, [PARENT_VARIABLE]: live.session.session, WEFT_MEMORY: "false" };
	return new Promise((resolve) => {
		const limit = AbortSignal.timeout(TIME_LIMIT_MS);
		const end = signal ? AbortSignal.any([signal, limit]) : limit;
		const pi = spawn(process.execPath, args, { cwd: live.cwd, env, stdio: ["ignore", "pipe", "pipe"], signal: end });
		const events = readEvents(pi);
		pi.on("error", (error) => resolve({ ...events.outcome(), failed: error.message }));
		pi.on("close", (code) => {
			const outcome = events.outcome();
			resolve(
				code === 0 && outcome.turns > 0
					? outcome
					: { ...outcome, failed: events.errors() || `it ended with exit ${code}` },
			);
		});
	});
}

/** Reads Pi's events, one line of JSON each. Keeps only the last answer. */
function readEvents(pi: ChildProcessByStdio<null, Readable, Readable>) {
	let [answer, stderr, turns, toolCalls] = ["", "", 0, 0];
	let failed: string | undefined;
	createInterface({ input: pi.stdout }).on("line", (line) => {
		const message = messageEnded(line);
		if (!message) return;
		turns++;
		const blocks = asList(message["content"]).map((block) => asObject(block) ?? {});
		toolCalls += blocks.filter(({ type }) => type === "toolCall").length;
		const text = blocks.flatMap((block) => (block["type"] === "text" ? (asText(block["text"]) ?? []) : [])).join("\n");
		if (text !== "") answer = text;
		failed = message["stopReason"] === "error" ? (asText(message["errorMessage"]) ?? "the model failed") : undefined;
	});
	pi.stderr.on("data", (chunk: Buffer) => {
		stderr = (stderr + chunk.toString("utf8")).slice(-MAX_STDERR_CHARS);
	});
	return { outcome: (): SubagentOutcome => ({ answer, turns, toolCalls, failed }), errors: () => stderr.trim() };
}

function messageEnded(line: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const event = asObject(JSON.parse(line));
		const message = event?.["type"] === "message_end" ? asObject(event["message"]) : undefined;
		return message?.["role"] === "assistant" ? message : undefined;
	} catch {
		return undefined;
	}
}
