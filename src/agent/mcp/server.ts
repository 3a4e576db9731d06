/**
 * weft for any MCP client: the history of the project as tools, resources and prompts. Lists are answered at once; the project is
 * opened, and most of weft loaded, with the first call. It never answers with an exception of ours, and says so if there is no
 * log. A `ConnectedAgent` adds what an agent tells us beyond the protocol; the agent's hooks call a tool that is not listed, so
 * no model sees it.
 */
import type { JsonObject } from "../../base/json/read.ts";
import type { McpProject } from "./calls.ts";
import { RPC_CODES, RpcError, serveJsonRpc } from "./json-rpc.ts";
import { initializeResult, LISTED_TOOLS, PROMPTS, RESOURCE_TEMPLATES, RESOURCES } from "./listing.ts";

export interface McpOptions {
	readonly version: string;
	/** Loads weft for the agent's project. Called once, at the first call. */
	readonly connect: () => Promise<McpProject>;
	/** True: the end of the connection is recorded, also if the agent has called nothing. */
	readonly recordsEnd: boolean;
	readonly input?: NodeJS.ReadableStream | undefined;
	readonly output?: NodeJS.WritableStream | undefined;
}

/**
 * Runs the server on standard input and output until the agent closes them or stops it. Resolves when the rest of the agent's
 * session is recorded.
 */
export async function serveMcp(options: McpOptions): Promise<void> {
	const { input = process.stdin, output = process.stdout } = options;
	const stopped = new AbortController();
	// Claude Code stops its servers with SIGINT.
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stopped.abort());
	let project: Promise<McpProject> | undefined;
	const connected = () => {
		project ??= options.connect();
		return project;
	};
	const faults: Promise<void>[] = [];
	await serveJsonRpc({
		input,
		output,
		signal: stopped.signal,
		answer: (method, params, signal) => answer(method, params, { version: options.version, connected, signal }),
		onFault: (where, error) => {
			faults.push(connected().then((project) => recordFault(project, where, error)));
		},
	});
	await Promise.allSettled(faults);
	if (options.recordsEnd || project) await (await connected()).end();
}

/** A fault is recorded in the log, so the log is opened for it. */
function recordFault({ open, onFault }: McpProject, where: string, error: unknown): void {
	open();
	onFault(where, error);
}

interface Asked {
	readonly version: string;
	readonly connected: () => Promise<McpProject>;
	readonly signal: AbortSignal;
}

async function answer(method: string, params: JsonObject, { version, connected, signal }: Asked): Promise<unknown> {
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
		case "prompts/get": {
			const [calls, project] = await Promise.all([import("./calls.ts"), connected()]);
			return calls.answerCall(project, method, params, signal);
		}
		default:
			throw new RpcError(RPC_CODES.unknownMethod, `weft does not know the method '${method.slice(0, 80)}'.`);
	}
}
