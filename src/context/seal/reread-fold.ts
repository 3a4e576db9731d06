/**
 * The hidden cost of a seal: files that the agent reads again, and edits that fail because their text is gone. Counted per
 * seal from the messages after it; a read counts if the file was read before and has not changed since.
 */
import type { Prices } from "../../base/tokens/prices.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { dropRecent, emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import { numberIn, type StateFold, textIn } from "../../log/fold/state-fold.ts";
import { toolClass } from "../../state/session/tool-class.ts";
import { HIDDEN_TALK_PRICE_TOKENS, hiddenGuess } from "./rule.ts";

export interface RereadState {
	/** Path to the seq of its last read; a change forgets it. */
	read: Recent<number>;
	/** Messages and tool calls, the newest weighing most: few calls among many messages are talk. */
	pace: { messages: number; calls: number };
	/** The seals whose aftermath is known or being counted, the newest last. */
	seals: { readonly seq: number; messages: number; reads: number; again: number; failed: number; tokens: number }[];
}

const KEPT_FILES = 400;
const KEPT_SEALS = 12;
/** Messages after a seal in which a read counts as its consequence. */
const AFTERMATH_MESSAGES = 30;
export const TOKENS_PER_LINE = 12;
/** What an edit that fails costs: one more request with the lines that it needed. */
const FAILED_EDIT_TOKENS = 4_000;
const UNKNOWN_LINES = 200;
/** How many seals the guess weighs. */
const PRIOR_SEALS = 3;
/** The weight of earlier messages when a new one arrives: some hundred of them count. */
const PACE_MEMORY = 0.99;
/** Fewer messages say nothing yet. */
const MIN_TALK_MESSAGES = 20;
/** Calls for each message. Work has one in every second or third message. */
const MAX_TALK_CALLS = 0.1;

export const rereadFold: StateFold<RereadState> = {
	name: "rereads",
	version: 5,
	initial: () => ({ read: emptyRecent(), pace: { messages: 0, calls: 0 }, seals: [] }),
	step(state, record) {
		switch (record.type) {
			case "Seal":
				if ((record.payload["mode"] ?? "woven") !== "woven") return;
				state.seals.push({ seq: record.seq, messages: 0, reads: 0, again: 0, failed: 0, tokens: 0 });
				if (state.seals.length > KEPT_SEALS) state.seals.shift();
				return;
			case "Message": {
				const newest = state.seals.at(-1);
				if (newest) newest.messages++;
				const { messages, calls } = state.pace;
				state.pace = { messages: messages * PACE_MEMORY + 1, calls: calls * PACE_MEMORY };
				return;
			}
			case "ToolCalled":
				state.pace.calls++;
				return;
			case "ToolResult":
				return noteResult(state, record);
			case "FileRead":
				return noteRead(state, record);
			case "FileChanged":
				dropRecent(state.read, textIn(record.payload, "path") ?? "");
		}
	},
};

/**
 * The hidden price learnt so far: measurements replace the guess. A stretch without any read measures nothing: who only
 * talks reads nothing again, and misses what left all the same.
 */
export function hiddenPrice(state: RereadState, { read, write }: Pick<Prices, "read" | "write">): number {
	const finished = state.seals.filter((seal) => seal.messages >= AFTERMATH_MESSAGES && seal.reads + seal.failed > 0);
	const measured = finished.reduce((sum, seal) => sum + seal.tokens * write, 0);
	const guess = (isTalk(state) ? HIDDEN_TALK_PRICE_TOKENS : hiddenGuess(read)) * PRIOR_SEALS;
	return Math.round((guess + measured) / (PRIOR_SEALS + finished.length));
}

export interface AskedAgain {
	readonly seals: number;
	/** Files that were read again. */
	readonly files: number;
	/** Edits that failed. */
	readonly failed: number;
	/** What both cost. */
	readonly tokens: number;
}

/** What was read again, and which edits failed, soon after the seals that the state still knows. */
export function readAgain({ seals }: RereadState): AskedAgain {
	return {
		seals: seals.length,
		files: seals.reduce((sum, { again }) => sum + again, 0),
		failed: seals.reduce((sum, { failed }) => sum + failed, 0),
		tokens: seals.reduce((sum, { tokens }) => sum + tokens, 0),
	};
}

/** Whether the newest messages are a conversation without work. */
export function isTalk({ pace: { messages, calls } }: RereadState): boolean {
	return messages >= MIN_TALK_MESSAGES && calls < messages * MAX_TALK_CALLS;
}

/** The newest seal, as long as what happens can be its consequence. */
function sealBefore({ seals }: RereadState): RereadState["seals"][number] | undefined {
	const newest = seals.at(-1);
	return newest && newest.messages < AFTERMATH_MESSAGES ? newest : undefined;
}

function noteResult(state: RereadState, { payload }: EventRecord): void {
	const kind = payload["status"] === "error" ? toolClass(textIn(payload, "tool") ?? "") : "other";
	const seal = kind === "edit" || kind === "patch" ? sealBefore(state) : undefined;
	if (!seal) return;
	seal.failed++;
	seal.tokens += FAILED_EDIT_TOKENS;
}

function noteRead(state: RereadState, { seq, payload }: EventRecord): void {
	const path = textIn(payload, "path");
	if (path === null || path === "") return;
	const before = getRecent(state.read, path);
	const seal = sealBefore(state);
	if (seal) seal.reads++;
	if (seal && before !== undefined && before < seal.seq) {
		seal.again++;
		seal.tokens += linesRead(payload) * TOKENS_PER_LINE;
	}
	putRecent(state.read, path, seq, KEPT_FILES);
}

/** How many lines a FileRead showed. */
export function linesRead(payload: EventRecord["payload"]): number {
	const to = numberIn(payload, "to");
	return to === null ? UNKNOWN_LINES : Math.max(1, to - (numberIn(payload, "from") ?? 1) + 1);
}
