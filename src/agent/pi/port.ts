import type { AgentPort } from "../port.ts";

export const PI_PORT: AgentPort = {
	name: "pi",
	title: "Pi",
	request: "messages",
	notes: "inside",
	canReplaceResults: true,
	originals: "result",
	canRefuseCalls: true,
	canChangeInput: true,
	recall: "messages",
	splitsAnswers: false,
	seals: "compaction",
	lendsModels: true,
	stays: true,
};
