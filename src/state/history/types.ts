import type { SessionRef } from "../../log/session-ref.ts";
import type { TreeMessage } from "../session/tree.ts";

/** A summary in the history DAG. Its text is in the log. */
export interface Node {
	/** `s-…`, from what it covers. */
	readonly id: string;
	/** seq of the Summary event that made it. */
	readonly seq: number;
	/** seq of the Summary event with its newest text. */
	readonly textSeq: number;
	/** 0 covers messages; n covers nodes of depth n-1. */
	readonly depth: number;
	/** The stretch of messages that it covers, by seq, inclusive. */
	readonly first: number;
	readonly last: number;
	readonly messages: number;
	/** Tokens of the covered messages. */
	readonly messageTokens: number;
	/** Tokens of its text. */
	readonly tokens: number;
	/** Number of nodes: itself and all below it. */
	readonly nodes: number;
	readonly topic: string;
	readonly model: string;
	readonly session: SessionRef;
}

/**
 * A session as seen from one of its entries: every message from the root to there is under exactly one node or in exactly
 * one run.
 */
export interface HistoryPath {
	readonly session: SessionRef;
	/** seq of the entry where the path ends. Undefined: the session is empty. */
	readonly leaf: number | undefined;
	/** Uncovered, oldest first. */
	readonly nodes: readonly Node[];
	/** Verbatim messages, oldest first: usually one run, after the last node. No node lies inside a run. */
	readonly runs: readonly (readonly TreeMessage[])[];
}

/** How history is cut and condensed. The names are those of the settings. */
export interface HistorySettings {
	readonly leafChunkTokens: number;
	/** Above this many uncovered nodes of a depth, the oldest ones become one node. */
	readonly condensationThreshold: number;
	/** Nodes of this depth are not condensed. */
	readonly maxDepth: number;
	/** Fewer messages are not summarised. */
	readonly minMessages: number;
	/** Size of the tail: the newest turns, kept verbatim. */
	readonly keepTokens: number;
	/** The tail may grow to this size to reach the newest request. */
	readonly ceilingTokens: number;
	/** Limit for the assembled history. */
	readonly maxSummaryTokens: number;
	/** Larger texts enter the context as a stub. */
	readonly largFileThresholdTokens: number;
	/** Tried in order, before the agent's own model. */
	readonly compactionModels: readonly { readonly provider: string; readonly id: string }[];
}

export const HISTORY_DEFAULTS: HistorySettings = {
	leafChunkTokens: 4_000,
	condensationThreshold: 6,
	maxDepth: 5,
	minMessages: 10,
	keepTokens: 20_000,
	ceilingTokens: 60_000,
	maxSummaryTokens: 8_000,
	largFileThresholdTokens: 25_000,
	compactionModels: [
		{ provider: "cerebras", id: "zai-glm-4.7" },
		{ provider: "anthropic", id: "claude-haiku-4-5" },
	],
};
