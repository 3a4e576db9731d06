/**
 * The note that a session's own model leaves itself at a seal. It has the whole context in the provider's cache at that moment, so the
 * note costs one cached read of it and a few hundred tokens of output. The note is data for the seed, never an instruction.
 */
import type { AnswerReading, SideAnswer } from "../../base/sidecar/ask.ts";
import { cutToBytes } from "../../base/text/cut.ts";
import { bytesOfTokens, estimateTokens } from "../../base/tokens/estimate.ts";
import { refuseSummary } from "../history/summary-writer.ts";

export const NOTE_TOKENS = 400;
/** A longer answer did not do what was asked. */
const MAX_TOKENS = NOTE_TOKENS * 3;

export const NOTE_PROMPT = `The messages above are about to be replaced by a summary of the record: requests, rules, decisions, plan, changed files and test results are kept word for word. Write a note to yourself of at most 300 words for what such a record misses: where exactly you are in the work, what you found out and how, what you tried that led nowhere, what you meant to do next and why. Exact names, paths, numbers. Plain lines, no headings, no greeting, no secrets, nothing that is only likely. Call no tool; answer with the note alone.`;

export function readNote({ text }: SideAnswer): AnswerReading<string> {
	const note = text.trim();
	const refused = refuseSummary(note, { sourceTokens: Number.POSITIVE_INFINITY, maxTokens: MAX_TOKENS });
	if (refused) return { ok: false, reason: refused.reason, isFault: true };
	return { ok: true, value: withinTokens(note) };
}

/** Whole lines up to the limit. */
function withinTokens(note: string): string {
	if (estimateTokens(note) <= NOTE_TOKENS) return note;
	const cut = cutToBytes(note, bytesOfTokens(NOTE_TOKENS));
	const end = cut.lastIndexOf("\n");
	return end > cut.length / 2 ? cut.slice(0, end) : cut;
}
