import type { AgentPort } from "../port.ts";

/** OpenClaw's context engine makes the messages of a request; the plugin's hooks are asked about tool calls. */
export const OPENCLAW_PORT: AgentPort = {
	name: "openclaw",
	title: "OpenClaw",
	request: "messages",
	notes: "inside",
	canReplaceResults: false,
	originals: "result",
	canRefuseCalls: true,
	canChangeInput: true,
	unifiesLineEnds: true,
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
