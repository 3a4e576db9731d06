import type { AgentPort } from "../port.ts";

/** OpenClaw's context engine makes the messages of a request; the host never asks it about tool calls. */
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
	// The host makes an engine for each turn.
	stays: false,
	trust: {
		lacking: "you have not trusted this workspace",
		remedy: "'trusted: true' in plugins.entries.weft.config",
	},
};
