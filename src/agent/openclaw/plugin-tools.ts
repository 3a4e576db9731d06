/** Runs one of our tools for a model in OpenClaw: in its current conversation, on the log of its workspace. */
import { TOOLS } from "../../tool/catalogue.ts";
import { toolContext } from "../live/tool-context.ts";
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
		const context = toolContext(engine, { session, host: OPENCLAW_HOST }, { signal });
		const { text, details, isError } = await tool.run(context, (params ?? {}) as Record<string, unknown>);
		return { ...textResult(text, isError === true), details };
	} finally {
		engine.close();
	}
}

function textResult(text: string, isError: boolean): HostToolResult {
	return { content: [{ type: "text", text }], details: {}, ...(isError && { isError }) };
}
