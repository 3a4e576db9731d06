import { type AgentPort, TRUST_BY_WEFT } from "../port.ts";

export const OPENCODE_PORT: AgentPort = {
	name: "opencode",
	title: "opencode",
	request: "messages",
	notes: "inside",
	canReplaceResults: true,
	originals: "beside",
	canRefuseCalls: true,
	canChangeInput: false,
	unifiesLineEnds: false,
	recall: "messages",
	splitsAnswers: false,
	seals: "log",
	lendsModels: false,
	stays: true,
	trust: TRUST_BY_WEFT,
};
