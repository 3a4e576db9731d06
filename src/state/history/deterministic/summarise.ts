/**
 * Summarises without a model, from what happened. Same events, same bytes. A summary has at most 15 % of the tokens that it
 * covers, and names the messages it covers, so that no two stretches have the same text.
 */
import { setImmediate as breathe } from "node:timers/promises";
import type { Summariser } from "../summariser.ts";
import { Facts } from "./facts.ts";
import { renderFacts, topicOf } from "./render.ts";

export const DETERMINISTIC = "deterministic";

const SHARE = 0.15;
/** A smaller source has little to leave out. */
const SMALL_SOURCE_TOKENS = 1_000;
const SMALL_SUMMARY_TOKENS = 150;
const MIN_TOKENS = 40;
/** A deep node covers months of events: yield to the process now and then. */
const RECORDS_PER_BREATH = 200;

export const deterministic: Summariser = {
	name: DETERMINISTIC,
	summarise: async ({ source, signal }) => {
		const facts = new Facts();
		let read = 0;
		for (const record of source.records()) {
			facts.add(record);
			if (++read % RECORDS_PER_BREATH > 0) continue;
			await breathe();
			signal?.throwIfAborted();
		}
		facts.end();
		return { text: renderFacts(facts, deterministicTokens(source.tokens)), topic: topicOf(facts) };
	},
};

/** The tokens that a summary of a source may have. */
export function deterministicTokens(sourceTokens: number): number {
	if (sourceTokens >= SMALL_SOURCE_TOKENS) return Math.floor(sourceTokens * SHARE);
	return Math.max(MIN_TOKENS, Math.min(SMALL_SUMMARY_TOKENS, Math.floor(sourceTokens / 2)));
}
