/**
 * weft for any MCP client: the history of the project as tools, resources and prompts. It never answers with an exception of
 * ours, and says so if there is no log. A `ConnectedAgent` adds what an agent tells us beyond the protocol; the agent's hooks call a
 * tool that is not listed, so no model sees it.
 */

import { type GetPromptResult, type ReadResourceResult, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { asObject, asText } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { ConnectedAgent, OpenEngine } from "../live/connected-agent.ts";
import { page } from "./page.ts";
import { PROMPTS, renderPrompt } from "./prompts.ts";
import { RESOURCE_TEMPLATES, RESOURCES, readResource } from "./resources.ts";
import { chooseSession, type SessionChoice } from "./session-choice.ts";
import { callTool, listTools, NO_RECORD } from "./tools.ts";

/** The agent's hooks call it, never a model. */
const HOOK_TOOL = "hook";

/** The same bytes in every session: they are in the cached part of the prompt. */
const INSTRUCTIONS = `weft records this project's sessions. Nothing that was said or done is gone:
- lcm_grep finds words or patterns in all earlier messages, also of other sessions
- lcm_describe shows which stretches of work there are
- lcm_expand gives back what an id names, byte for byte: s- a summary, m- a message, b- an output, e- an event
- decide records a choice that later work relies on
When you are missing something from earlier, look there before you say that you do not know it.`;

export interface McpOptions {
	readonly version: string;
	readonly open: OpenEngine;
	readonly host?: ConnectedAgent | undefined;
	readonly onFault: (where: string, error: unknown) => void;
}

/**
 * Runs the server on standard input and output until the agent closes them or stops it. Resolves when the rest of the
 * agent's session is recorded.
 */
export async function serveMcp(options: McpOptions): Promise<void> {
	const ended = new Promise<void>((resolve) => {
		process.stdin.once("end", resolve);
		process.stdin.once("close", resolve);
		// Claude Code stops its servers with SIGINT.
		for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
	});
	const handle = serveStdio(() => createMcpServer(options), { onerror: (error) => options.onFault("stdio", error) });
	await ended;
	await options.host?.end();
	await handle.close().catch(() => {});
}

function createMcpServer({ version, open, host, onFault }: McpOptions): Server {
	const server = new Server(
		{ name: "weft", title: "weft", version },
		{ capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
	);
	/** The log, after reading the newest part of the session. */
	const current = async (): Promise<{ engine: Engine; which: SessionChoice } | undefined> => {
		await host?.catchUp();
		const engine = open();
		return engine && { engine, which: chooseSession(engine, host?.session()) };
	};
	const required = async () => {
		const found = await current();
		if (!found) throw new EngineError("not-found", NO_RECORD);
		return found;
	};

	server.setRequestHandler("tools/list", () => {
		try {
			return { tools: listTools(open()) };
		} catch (error) {
			onFault("tools/list", error);
			return { tools: listTools(undefined) };
		}
	});
	server.setRequestHandler("tools/call", async ({ params }, { mcpReq: { signal } }) => {
		const { name } = params;
		const args = asObject(params.arguments) ?? {};
		if (name === HOOK_TOOL) return { content: [{ type: "text", text: (await host?.hook?.(args)) ?? "{}" }] };
		try {
			host?.tell?.(asObject(params._meta) ?? {});
			const found = await current();
			return await callTool(found?.engine, forNamedSession(found, args), { name, args, signal, now: Date.now() });
		} catch (error) {
			onFault(`tools/call ${name}`, error);
			const text = errorText(error);
			return { content: [{ type: "text", text: `weft could not answer: ${text}` }], isError: true };
		}
	});
	server.setRequestHandler("resources/list", () => ({ resources: RESOURCES }));
	server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
	server.setRequestHandler("resources/read", async ({ params: { uri } }): Promise<ReadResourceResult> => {
		const { engine, which } = await required();
		const text = page(await readResource(engine, which, uri, Date.now()));
		return { contents: [{ uri, mimeType: "text/plain", text }] };
	});
	server.setRequestHandler("prompts/list", () => ({ prompts: PROMPTS }));
	server.setRequestHandler("prompts/get", async ({ params }): Promise<GetPromptResult> => {
		const { engine, which } = await required();
		const text = page(await renderPrompt(engine, which, params.name, params.arguments ?? {}, Date.now()));
		return { messages: [{ role: "user", content: { type: "text", text } }] };
	});
	return server;
}

/** A search that names its session needs no remark about it. */
function forNamedSession(
	found: { readonly which: SessionChoice } | undefined,
	args: Readonly<Record<string, unknown>>,
) {
	return found && asText(args["session"]) ? { ...found.which, isGuess: false } : found?.which;
}
