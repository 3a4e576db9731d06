/** The calls that need the project: a tool, a resource, a prompt, a hook of the agent. */
import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { asObject, asText, type JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import { disarmTags } from "../../message/enclosure.ts";
import type { ConnectedAgent, OpenEngine } from "../live/connected-agent.ts";
import { type AgentCalls, FAULT_METHOD, faultError } from "../resident/call-lines.ts";
import { page } from "./page.ts";
import { renderPrompt } from "./prompts.ts";
import { readResource } from "./resources.ts";
import { chooseSession, type SessionChoice } from "./session-choice.ts";
import { callTool, NO_RECORD } from "./tools.ts";

/** The agent's hooks call it, never a model. */
const HOOK_TOOL = "hook";

/** The project of the agent that is connected. */
export interface McpProject {
	readonly open: OpenEngine;
	readonly host: ConnectedAgent;
	readonly onFault: (where: string, error: unknown) => void;
	/** Records the rest of the session and closes the project. */
	end(): Promise<void>;
}

export function mcpCalls(project: McpProject): AgentCalls {
	return {
		answer: (method, params, signal) => answerCall(project, method, params, signal),
		end: () => project.end(),
	};
}

async function answerCall(
	project: McpProject,
	method: string,
	params: JsonObject,
	signal: AbortSignal,
): Promise<object> {
	if (method === FAULT_METHOD) return recordFault(project, params);
	if (method === "tools/call") return answerTool(project, params, signal);
	const found = await current(project);
	if (!found) throw new EngineError("not-found", NO_RECORD);
	const { engine, which } = found;
	if (method === "resources/read") {
		const uri = asText(params["uri"]) ?? "";
		const text = foreignPage(await readResource(engine, which, uri, Date.now()));
		return { contents: [{ uri, mimeType: "text/plain", text }] };
	}
	const args = asObject(params["arguments"]) ?? {};
	const text = foreignPage(await renderPrompt(engine, which, asText(params["name"]) ?? "", args, Date.now()));
	return { messages: [{ role: "user", content: { type: "text", text } }] };
}

/** A view for people, full of others' words. It is read, never copied into an edit, so its tags need not be exact. */
function foreignPage(text: string): string {
	return page(disarmTags(text));
}

/** A fault is recorded in the log, so the log is opened for it. */
function recordFault({ open, onFault }: McpProject, params: JsonObject): object {
	open();
	onFault(asText(params["where"]) ?? "message", faultError(params));
	return {};
}

async function answerTool(project: McpProject, params: JsonObject, signal: AbortSignal): Promise<object> {
	const { host, onFault } = project;
	const name = asText(params["name"]) ?? "";
	const args = asObject(params["arguments"]) ?? {};
	if (name === HOOK_TOOL) return { content: [{ type: "text", text: (await host.hook?.(args)) ?? "{}" }] };
	try {
		host.tell?.(asObject(params["_meta"]) ?? {});
		const found = await current(project);
		return await callTool(found?.engine, forNamedSession(found, args), { name, args, signal, now: Date.now() });
	} catch (error) {
		onFault(`tools/call ${name.slice(0, 80)}`, error);
		return { content: [{ type: "text", text: page(`weft could not answer: ${errorText(error)}`) }], isError: true };
	}
}

/** The log, after reading the newest part of the session. */
async function current({
	host,
	open,
}: McpProject): Promise<{ readonly engine: Engine; readonly which: SessionChoice } | undefined> {
	await host.catchUp();
	const engine = open();
	return engine && { engine, which: chooseSession(engine, host.session()) };
}

/** A search that names its session needs no remark about it. */
function forNamedSession(found: { readonly which: SessionChoice } | undefined, args: JsonObject) {
	return found && asText(args["session"]) ? { ...found.which, isGuess: false } : found?.which;
}
