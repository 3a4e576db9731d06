import type { SessionRef } from "../../log/session-ref.ts";
import type { TreeMessage } from "../session/tree.ts";

/** A summary in the history DAG. Its text is in the log. */
export interface Node {
	/** `s-…`, from what it covers. */
	readonly id: string;
	/** seq of the Summary event that made it. */
	readonly seq: number;
	/** seq of the Summary event that has its text: another one, where it was written again. */
	readonly textSeq: number;
	/** 0: covers messages; n: covers nodes of depth n-1. */
	readonly depth: number;
	/** The stretch of messages that it covers, by seq, both ends among them. */
	readonly first: number;
	readonly last: number;
	readonly messages: number;
	/** Of the messages that it covers. */
	readonly messageTokens: number;
	/** Of its text. */
	readonly tokens: number;
	/** Itself and all below it. */
	readonly nodes: number;
	readonly topic: string;
	readonly model: string;
	readonly session: SessionRef;
}

/**
 * A session as seen from one of its entries: every message between the root and there is either under exactly one of
 * the nodes or among the messages.
 */
export interface HistoryPath {
	readonly session: SessionRef;
	/** seq of the entry from which it was walked; undefined: the session is empty. */
	readonly leaf: number | undefined;
	/** Uncovered, oldest first. */
	readonly nodes: readonly Node[];
	/** Verbatim, oldest first: as a rule one run, after the last node. Each run is whole, no node lies inside it. */
	readonly runs: readonly (readonly TreeMessage[])[];
}

/** How history is cut and condensed. Names are those of the settings, where there is one. */
export interface HistorySettings {
	readonly leafChunkTokens: number;
	/** More uncovered nodes of a depth than this: the oldest so many become one. */
	readonly condensationThreshold: number;
	/** Nodes of this depth are not condensed. */
	readonly maxDepth: number;
	/** Fewer messages than this: there is nothing to do. */
	readonly minMessages: number;
	/** The tail: this much of the newest turns stays verbatim. */
	readonly keepTokens: number;
	/** A tail that has to reach further, back to the newest request, may grow to this. */
	readonly ceilingTokens: number;
	/** Of the assembled history. */
	readonly maxSummaryTokens: number;
	/** Larger texts enter the context as a stub. */
	readonly largFileThresholdTokens: number;
	/** Tried in order, before the host's own model. */
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
