import { type AgentPort, TRUST_BY_WEFT } from "../port.ts";

export const CLAUDE_CODE_PORT: AgentPort = {
	name: "claude-code",
	title: "Claude Code",
	request: "seed",
	notes: "beside",
	// A longer text becomes a file that the model does not read.
	maxBesideChars: 9_900,
	canReplaceResults: true,
	originals: "beside",
	canRefuseCalls: true,
	canChangeInput: true,
	unifiesLineEnds: true,
	recall: "beside",
	splitsAnswers: true,
	seals: "beside",
	lendsModels: false,
	stays: true,
	trust: TRUST_BY_WEFT,
};
