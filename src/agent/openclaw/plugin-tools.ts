/** Runs one of our tools for a model in OpenClaw: in its current conversation, on the log of its workspace. */
import { TOOLS } from "../../tool/catalogue.ts";
import { threadRenderer } from "../live/thread-renderer.ts";
import { type ContextEngineOptions, openLog } from "./open.ts";
import type { HostToolResult, PlaceContext } from "./plugin-api.ts";
import { currentName } from "./sessions.ts";
import { sessionWithKey } from "./subagents.ts";
import { OPENCLAW_HOST } from "./translate.ts";

export async function runTool(
	name: string,
	options: ContextEngineOptions,
	{ sessionId, sessionKey }: PlaceContext,
	params: unknown,
	signal: AbortSignal | undefined,
): Promise<HostToolResult> {
	const engine = openLog(options, () => {});
	const tool = TOOLS.find((each) => each.name === name);
	if (!engine || !tool) return textResult("weft keeps no record of this session, so there is nothing to ask it.", true);
	try {
		const known = sessionId === undefined ? undefined : currentName(engine, sessionId);
		const session = known ?? (sessionKey === undefined ? undefined : sessionWithKey(engine, sessionKey)) ?? "-";
		const { history } = engine;
		const of = { session, host: OPENCLAW_HOST };
		const context = { history, session: of, now: Date.now(), signal, renderThread: threadRenderer(engine, of) };
		const { text, details, isError } = await tool.run(context, (params ?? {}) as Record<string, unknown>);
		return { ...textResult(text, isError === true), details };
	} finally {
		engine.close();
	}
}

function textResult(text: string, isError: boolean): HostToolResult {
	return { content: [{ type: "text", text }], details: {}, ...(isError && { isError }) };
}
