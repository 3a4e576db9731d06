/** A tool call of Pi's as the guard knows calls. */
import type { GuardCall } from "../../guard/types.ts";
import { asObject } from "../../json/read.ts";
import type { LiveSession } from "./live-session.ts";

export function guardCall(
	{ toolName, toolCallId, input }: { toolName: string; toolCallId: string; input: unknown },
	live: LiveSession,
): GuardCall {
	return { ...live.session, cwd: live.cwd, tool: toolName, callId: toolCallId, input: asObject(input) ?? {} };
}
