/**
 * The hidden cost of a seal: files that the agent reads again. Counted per seal from the reads in the messages after it,
 * of files that were read before and have not changed since.
 */
import type { Prices } from "../../base/tokens/prices.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { dropRecent, emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import { numberIn, type StateFold, textIn } from "../../log/fold/state-fold.ts";
import { hiddenGuess } from "./rule.ts";

export interface RereadState {
	/** Path to the seq of its last read; a change forgets it. */
	read: Recent<number>;
	/** The seals whose aftermath is known or being counted, the newest last. */
	seals: { readonly seq: number; messages: number; tokens: number }[];
}

const KEPT_FILES = 400;
const KEPT_SEALS = 12;
/** Messages after a seal in which a read counts as its consequence. */
const AFTERMATH_MESSAGES = 30;
const TOKENS_PER_LINE = 12;
const UNKNOWN_LINES = 200;
/** How many seals the guess weighs. */
const PRIOR_SEALS = 3;

export const rereadFold: StateFold<RereadState> = {
	name: "rereads",
	version: 2,
	initial: () => ({ read: emptyRecent(), seals: [] }),
	step(state, record) {
		switch (record.type) {
			case "Seal":
				if ((record.payload["mode"] ?? "woven") !== "woven") return;
				state.seals.push({ seq: record.seq, messages: 0, tokens: 0 });
				if (state.seals.length > KEPT_SEALS) state.seals.shift();
				return;
			case "Message": {
				const newest = state.seals.at(-1);
				if (newest) newest.messages++;
				return;
			}
			case "FileRead":
				return readAgain(state, record);
			case "FileChanged":
				dropRecent(state.read, textIn(record.payload, "path") ?? "");
		}
	},
};

/** The hidden price learnt so far: measurements replace the guess. */
export function hiddenPrice(state: RereadState, { read, write }: Pick<Prices, "read" | "write">): number {
	const finished = state.seals.filter((seal) => seal.messages >= AFTERMATH_MESSAGES);
	const measured = finished.reduce((sum, seal) => sum + seal.tokens * write, 0);
	const guess = hiddenGuess(read) * PRIOR_SEALS;
	return Math.round((guess + measured) / (PRIOR_SEALS + finished.length));
}

function readAgain(state: RereadState, { seq, payload }: EventRecord): void {
	const path = textIn(payload, "path");
	if (path === null || path === "") return;
	const before = getRecent(state.read, path);
	const seal = state.seals.at(-1);
	if (seal && before !== undefined && before < seal.seq && seal.messages < AFTERMATH_MESSAGES) {
		const to = numberIn(payload, "to");
		const lines = to === null ? UNKNOWN_LINES : Math.max(1, to - (numberIn(payload, "from") ?? 1) + 1);
		seal.tokens += lines * TOKENS_PER_LINE;
	}
	putRecent(state.read, path, seq, KEPT_FILES);
}
