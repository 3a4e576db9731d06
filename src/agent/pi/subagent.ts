/**
 * The tool `subagent`: a task for a Pi of its own, in the same folder, with the same model, headless. It sees its task and, if asked
 * for, a part of the memory; its parent sees its last words. weft runs in it too and writes what it does into the same log,
 * as a side chain of its parent.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import Type, { type Static } from "typebox";
import { ownPath } from "../../base/file/package-file.ts";
import { asList, asObject, asText } from "../../base/json/read.ts";
import { cutStart } from "../../base/text/cut.ts";
import { MEMORY_SCOPES } from "../../state/memory/skill/skill.ts";
import { enumeration, textArgument, wordArgument } from "../../tool/types.ts";
import { taskWithContext } from "../live/subagent-context.ts";
import { PARENT_VARIABLE } from "./child.ts";
import type { Live } from "./live.ts";

export const SUBAGENT_TOOL = "subagent";

const CONTEXT_MODES = ["isolated", "contextual"] as const;
const TIME_LIMIT_MS = 30 * 60_000;
const MAX_ANSWER_CHARS = 20_000;
const MAX_TASK_CHARS = 50_000;
const MAX_STDERR_CHARS = 2_000;

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
	tools: Type.Optional(Type.String({ description: "Comma-separated names of the only tools that it may use" })),
});

export function registerSubagent(pi: ExtensionAPI, live: () => Live | undefined): void {
	// A sub-agent has none of its own, and somebody else's tool of that name stays.
	if (process.env[PARENT_VARIABLE] !== undefined || pi.getAllTools().some(({ name }) => name === SUBAGENT_TOOL)) return;
	pi.registerTool({
		name: SUBAGENT_TOOL,
		label: "Sub-agent",
		description:
			"Give a task to a sub-agent with a context of its own. It works in this folder with the same tools and answers with its last message. For work that needs much reading and has a short result.",
		promptSnippet: "Give a task to a sub-agent with its own context",
		promptGuidelines: [],
		parameters: PARAMETERS,
		// Models write a list where a list is meant.
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
	live: Live,
	callId: string,
	args: Readonly<Record<string, unknown>>,
	signal: AbortSignal | undefined,
): Promise<{ readonly text: string; readonly details: object }> {
	const { engine, session } = live;
	const task = textArgument(args["task"]).trim();
	if (task === "" || task.length > MAX_TASK_CHARS) throw new Error("The task is empty or too long. Say what to do.");
	const contextMode = wordArgument(args["contextMode"], CONTEXT_MODES, "isolated");
	const asked = wordArgument(args["memory"], MEMORY_SCOPES, "relevant");
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
	const outcome = await runPi(live, child, prompt, textArgument(args["tools"]), signal);
	await live.skills?.run("after_subagent", live);
	if (outcome.failed !== undefined) throw new Error(`The sub-agent failed: ${outcome.failed}`);
	const text = outcome.said === "" ? "The sub-agent ended without a word." : cutStart(outcome.said, MAX_ANSWER_CHARS);
	return { text, details: { child, contextMode, memory, turns: outcome.turns, toolCalls: outcome.toolCalls } };
}

/** Named after its parent, as all side chains are; a name that Pi takes for a session. */
function childId(parent: string, callId: string): string {
	return `${parent}--${callId
		.replace(/[^\w-]+/g, "-")
		.slice(-40)
		.replace(/^-+|-+$/g, "")}`;
}

interface Outcome {
	readonly said: string;
	readonly turns: number;
	readonly toolCalls: number;
	readonly failed?: string | undefined;
}

function runPi(
	live: Live,
	child: string,
	prompt: string,
	tools: string,
	signal: AbortSignal | undefined,
): Promise<Outcome> {
	const { model } = live.ctx;
	const args = [
		...process.execArgv,
		process.argv[1]!,
		...["--mode", "json", "-p", "--no-session", "--session-id", child, "-e", ownPath("src", "agent", "pi", "index.ts")],
		...(model ? ["--model", `${model.provider}/${model.id}`] : []),
		...(live.ctx.isProjectTrusted() ? ["--approve"] : []),
		...(tools.trim() === "" ? [] : ["--tools", tools]),
		prompt,
	];
	// Its parent has given it what it may know, and keeps the memory.
	const env = { ...process.env, [PARENT_VARIABLE]: live.session.session, WEFT_MEMORY: "false" };
	return new Promise((resolve) => {
		const limit = AbortSignal.timeout(TIME_LIMIT_MS);
		const end = signal ? AbortSignal.any([signal, limit]) : limit;
		const pi = spawn(process.execPath, args, { cwd: live.cwd, env, stdio: ["ignore", "pipe", "pipe"], signal: end });
		const heard = listen(pi);
		pi.on("error", (error) => resolve({ ...heard.outcome(), failed: error.message }));
		pi.on("close", (code) => {
			const outcome = heard.outcome();
			const isSilent = outcome.turns === 0;
			resolve(
				code === 0 && !isSilent ? outcome : { ...outcome, failed: heard.complaint() || `it ended with exit ${code}` },
			);
		});
	});
}

/** Pi's events, a line of JSON each. Only the last answer is kept. */
function listen(pi: ChildProcess) {
	let [said, stderr, turns, toolCalls] = ["", "", 0, 0];
	let failed: string | undefined;
	createInterface({ input: pi.stdout! }).on("line", (line) => {
		const message = messageEnded(line);
		if (!message) return;
		turns++;
		const blocks = asList(message["content"]).map((block) => asObject(block) ?? {});
		toolCalls += blocks.filter(({ type }) => type === "toolCall").length;
		const text = blocks.flatMap((block) => (block["type"] === "text" ? (asText(block["text"]) ?? []) : [])).join("\n");
		if (text !== "") said = text;
		failed = message["stopReason"] === "error" ? (asText(message["errorMessage"]) ?? "the model failed") : undefined;
	});
	pi.stderr!.on("data", (chunk: Buffer) => {
		stderr = (stderr + chunk.toString("utf8")).slice(-MAX_STDERR_CHARS);
	});
	return { outcome: (): Outcome => ({ said, turns, toolCalls, failed }), complaint: () => stderr.trim() };
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
