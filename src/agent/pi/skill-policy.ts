/** What active skills allow. */
import type { ToolCallEvent, ToolCallEventResult } from "@earendil-works/pi-coding-agent";
import { asObject, asText } from "../../base/json/read.ts";
import { cutStart } from "../../base/text/cut.ts";
import type { Live } from "./live.ts";

const MAX_REASON_CHARS = 600;

/** A call that an active skill does not allow is blocked, and written down. */
export function judgeBySkills(event: ToolCallEvent, live: Live): ToolCallEventResult | undefined {
	const { skills } = live;
	if (!skills) return undefined;
	const input = asObject(event.input) ?? {};
	const [command, path] = [asText(input["command"]), asText(input["path"])];
	const tool = event.toolName;
	const refused = skills.active.refuse({ tool, command, path }, live.cwd);
	if (refused === undefined) {
		if (tool === "read" && path !== undefined) skills.active.read(path, live.cwd);
		return undefined;
	}
	const mode = live.engine.settings.policyMode;
	const reason = cutStart(refused, MAX_REASON_CHARS);
	const call = { tool, callId: event.toolCallId };
	live.engine.record([
		{ type: "Verdict", ...live.session, payload: { verdict: "block", rule: "skill-tools", mode, reason, ...call } },
	]);
	return mode === "enforce" ? { block: true, reason } : undefined;
}
