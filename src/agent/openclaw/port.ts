import type { AgentPort } from "../port.ts";

/** A context engine of OpenClaw makes the messages; the host asks it about no tool call. */
export const OPENCLAW_PORT: AgentPort = {
	name: "openclaw",
	title: "OpenClaw",
	request: "messages",
	notes: "none",
	canReplaceResults: false,
	originals: "result",
	canRefuseCalls: false,
	canChangeInput: false,
	recall: "messages",
	splitsAnswers: false,
	seals: "log",
	lendsModels: true,
	// The host makes an engine for every turn.
	stays: false,
};
