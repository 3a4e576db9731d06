/**
 * weft for any MCP client: the history of the project as tools, resources and prompts. Lists are answered at once; the project is
 * opened, and most of weft loaded, with the first call. It never answers with an exception of ours, and says so if there is no
 * log. A `ConnectedAgent` adds what an agent tells us beyond the protocol; the agent's hooks call a tool that is not listed, so
 * no model sees it.
 */

import type { JsonObject } from "../../base/json/read.ts";
import { type AgentCalls, FAULT_METHOD, faultParams } from "../resident/call-lines.ts";
import { type JsonRpcOptions, RPC_CODES, RpcError, serveJsonRpc } from "./json-rpc.ts";
import { initializeResult, LISTED_TOOLS, PROMPTS, RESOURCE_TEMPLATES, RESOURCES } from "./listing.ts";

export interface McpOptions {
	readonly version: string;
	/** Answers what needs the project, which is opened at the first call. */
	readonly calls: AgentCalls;
	/** True: the end of the connection is recorded, also if the agent has called nothing. */
	readonly recordsEnd: boolean;
	readonly input?: NodeJS.ReadableStream | undefined;
	readonly output?: NodeJS.WritableStream | undefined;
	/** Ends the connection at once. By default a signal of the system does. */
	readonly signal?: AbortSignal | undefined;
	readonly onDone?: JsonRpcOptions["onDone"];
}

/**
 * Runs the server on standard input and output until the agent closes them or stops it. Resolves when the rest of the agent's
 * session is recorded.
 */
export async function serveMcp(options: McpOptions): Promise<void> {
	const { input = process.stdin, output = process.stdout, signal = stopSignal(), onDone } = options;
	let isUsed = options.recordsEnd;
	const { version, calls } = options;
	const faults: Promise<unknown>[] = [];
	await serveJsonRpc({
		input,
		output,
		signal,
		onDone,
		answer: (method, params, signal) => {
			const listed = answerList(method, params, version);
			if (listed) return listed;
			isUsed = true;
			return calls.answer(method, params, signal);
		},
		onFault: (where, error) => {
			isUsed = true;
			faults.push(calls.answer(FAULT_METHOD, faultParams(where, error), new AbortController().signal));
		},
	});
	await Promise.allSettled(faults);
	if (isUsed) await calls.end();
}

/** Claude Code's sessions end with their server. */
export function recordsEndOf(env: NodeJS.ProcessEnv): boolean {
	return Boolean(env["CLAUDE_CODE_SESSION_ID"]);
}

/** Claude Code stops its servers with SIGINT. */
function stopSignal(): AbortSignal {
	const stopped = new AbortController();
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stopped.abort());
	return stopped.signal;
}

/** Undefined: the method needs the project. */
function answerList(method: string, params: JsonObject, version: string): object | undefined {
	switch (method) {
		case "initialize":
			return initializeResult(version, params["protocolVersion"]);
		case "ping":
			return {};
		case "tools/list":
			return { tools: LISTED_TOOLS };
		case "resources/list":
			return { resources: RESOURCES };
		case "resources/templates/list":
			return { resourceTemplates: RESOURCE_TEMPLATES };
		case "prompts/list":
			return { prompts: PROMPTS };
		case "tools/call":
		case "resources/read":
		case "prompts/get":
			return undefined;
		default:
			throw new RpcError(RPC_CODES.unknownMethod, `weft does not know the method '${method.slice(0, 80)}'.`);
	}
}
