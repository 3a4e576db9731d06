/**
 * The guard in OpenClaw: the host asks before each tool call, and hands over each result before the model gets it. The engine
 * of a turn knows nothing of tools, so the projects of this file are its own, one for each workspace. They close when no call came for
 * a while, so that the gateway holds no file between turns; the guard reads from the log what it must know.
 */
import { resolve } from "node:path";
import { BoundedMap } from "../../base/collection/bounded.ts";
import { asList, asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { faultOf } from "../live/door.ts";
import type { LiveProject } from "../live/project.ts";
import { insideText, type LiveSession, type ToolCall } from "../live/session.ts";
import { FaultQueue } from "./fault-queue.ts";
import { openClawProject } from "./live-project.ts";
import { type ContextEngineOptions, openLog } from "./open.ts";
import type { CallDecision, PlaceContext, ToolCallEvent, ToolResultChange, ToolResultEvent } from "./plugin-api.ts";
import { Sessions } from "./sessions.ts";

interface GuardedWorkspace {
	readonly live: LiveProject;
	readonly sessions: Sessions;
	/** The engine of the turn tells the user; a call that was not checked is recorded here. */
	readonly faults: FaultQueue;
	readonly close: () => void;
}

const MAX_WORKSPACES = 8;
const IDLE_MS = 3_000;

const opened = new BoundedMap<string, GuardedWorkspace>(MAX_WORKSPACES, (_, { close }) => close());

/** Undefined: the call runs as it is, also if weft itself fails. */
export function judgeCall(
	options: ContextEngineOptions,
	{ toolName, params, toolCallId }: ToolCallEvent,
	context: PlaceContext,
): CallDecision | undefined {
	const workspace = workspaceOf(options);
	beginWork();
	try {
		const session = sessionOf(workspace, options, context);
		const verdict = session?.judge(callOf(toolName, toolCallId ?? context.toolCallId, params, options.cwd));
		if (verdict?.action === "block") return { block: true, blockReason: verdict.reason };
		return verdict?.input ? { params: verdict.input } : undefined;
	} catch (error) {
		workspace?.faults.add(faultOf("before_tool_call", error));
		return undefined;
	} finally {
		endWork();
	}
}

/** Undefined: the result stays as it is, also if weft itself fails. */
export async function lookAtResult(
	options: ContextEngineOptions,
	{ toolName, args, toolCallId, isError = false, result }: ToolResultEvent,
	context: PlaceContext,
): Promise<ToolResultChange | undefined> {
	const workspace = workspaceOf(options);
	beginWork();
	try {
		const session = sessionOf(workspace, options, context);
		if (!session) return undefined;
		const blocks = asList(result["content"]).map((block) => asObject(block) ?? {});
		const text = blocks.flatMap((block) => (block["type"] === "text" ? [asText(block["text"]) ?? ""] : [])).join("\n");
		const given = { text, isError, details: result["details"], canReplace: false };
		const seen = await session.look(callOf(toolName, toolCallId, args, options.cwd), given);
		const said = insideText(seen);
		if (said === text) return undefined;
		const rest = blocks.filter((block) => block["type"] !== "text");
		return { result: { ...result, content: [{ type: "text", text: said }, ...rest] } };
	} catch (error) {
		workspace?.faults.add(faultOf("tool_result", error));
		return undefined;
	} finally {
		endWork();
	}
}

let working = 0;
let idle: NodeJS.Timeout | undefined;

function beginWork(): void {
	working++;
	clearTimeout(idle);
}

function endWork(): void {
	working--;
	if (working === 0) idle = setTimeout(closeGuards, IDLE_MS).unref();
}

/** The gateway ends, the plugin is unloaded, or no call came for a while. */
export function closeGuards(): void {
	clearTimeout(idle);
	for (const { close } of opened.values()) close();
	opened.clear();
}

function sessionOf(
	workspace: GuardedWorkspace | undefined,
	{ cwd }: ContextEngineOptions,
	{ sessionId, sessionKey }: PlaceContext,
): LiveSession | undefined {
	if (sessionId === undefined || !workspace) return undefined;
	const { live, sessions, faults } = workspace;
	const { ref } = sessions.of({ sessionId, sessionKey });
	faults.session = ref.session;
	faults.flush();
	return live.session(ref, cwd);
}

/** Undefined: weft is off, or its log cannot be opened. */
function workspaceOf(options: ContextEngineOptions): GuardedWorkspace | undefined {
	const { cwd, home, env, now = Date.now } = options;
	const key = JSON.stringify([cwd, home, env?.["WEFT_MODE"]]);
	const known = opened.get(key);
	if (known) return known;
	const engine = openLog(options, () => {});
	if (!engine?.settings.enabled) {
		engine?.close();
		return undefined;
	}
	const faults = new FaultQueue(engine, now);
	const onFault = (where: string, error: unknown) => faults.add(faultOf(where, error));
	const { live } = openClawProject(engine, { env, now, onFault });
	const close = () => {
		faults.flush();
		engine.close();
	};
	const workspace = { live, sessions: new Sessions({ engine, cwd, now }), faults, close };
	opened.set(key, workspace);
	return workspace;
}

function callOf(tool: string, callId: string | undefined, input: JsonObject, cwd: string): ToolCall {
	const workdir = asName(input["workdir"]);
	return {
		tool,
		callId: callId ?? "",
		input,
		...(workdir !== undefined && { folder: resolve(cwd, workdir) }),
	};
}
