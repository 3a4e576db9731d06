import { type AgentPort, TRUST_BY_WEFT } from "../port.ts";

/** Codex with hooks. Behind weft's proxy its compaction is answered with the seed as well. */
export const CODEX_PORT: AgentPort = {
	name: "codex",
	title: "Codex",
	request: "none",
	notes: "beside",
	// Codex keeps the head and the tail of a longer text.
	maxBesideChars: 9_900,
	canReplaceResults: true,
	originals: "beside",
	canRefuseCalls: true,
	// A hook could change it, but each call is judged in a process of its own, which forgets what it changed.
	canChangeInput: false,
	unifiesLineEnds: false,
	recall: "beside",
	splitsAnswers: false,
	seals: "log",
	lendsModels: false,
	stays: false,
	trust: TRUST_BY_WEFT,
};
