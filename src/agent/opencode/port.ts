import type { AgentPort } from "../port.ts";

export const OPENCODE_PORT: AgentPort = {
	name: "opencode",
	title: "opencode",
	request: "messages",
	notes: "inside",
	canReplaceResults: true,
	originals: "beside",
	canRefuseCalls: true,
	canChangeInput: false,
	recall: "messages",
	splitsAnswers: false,
	seals: "log",
	lendsModels: false,
	stays: true,
};
