/** What a command printed, cut where it is too long, for hosts whose hooks may replace it. The whole of it is in the log. */

import { asText } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import { bound } from "../../guard/bound.ts";
import type { GuardCall } from "../../guard/types.ts";
import { toolClass } from "../../state/session/tool-class.ts";
import { limitToolResult } from "../../state/session/tool-result-limits.ts";

/** Undefined: it goes in as it is. */
export function boundOutput(
	engine: Engine,
	{ session, host, tool, callId, input }: GuardCall,
	text: string,
): string | undefined {
	if (engine.settings.policyMode === "report" || engine.log.readOnly) return undefined;
	if (toolClass(tool) !== "shell" || !text.isWellFormed()) return undefined;
	const shorter = limitToolResult(text, { class: "shell", command: asText(input["command"]) })?.text;
	const bounded = bound(shorter ?? text);
	if (shorter === undefined && !bounded.cut) return undefined;
	const blob = engine.log.putBlob(Buffer.from(text, "utf8"));
	const data = { tool, callId, of: asText(input["command"]) ?? "", chars: bounded.text.length };
	engine.record([{ type: "Custom", session, host, payload: { name: "bounded", data, blob } }]);
	return bounded.text;
}
