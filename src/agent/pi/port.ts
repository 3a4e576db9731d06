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
	unifiesLineEnds: true,
	recall: "messages",
	splitsAnswers: false,
	seals: "compaction",
	lendsModels: true,
	stays: true,
	trust: { lacking: "Pi does not trust this project", remedy: "/trust in Pi, or 'pi --approve'," },
};

/** Set in the environment of a sub-agent's Pi: the session that it works for. */
export const PARENT_VARIABLE = "WEFT_PARENT_SESSION";
