/**
 * May this text stand for its source? Says why not. Only the form is judged: a summary that talks of a 401, or of an
 * apology in the code, is fine; one that opens as an excuse or plays a role is not.
 */
import { estimateTokens } from "../../base/tokens/estimate.ts";

export interface SummaryLimits {
	readonly sourceTokens: number;
	readonly maxTokens: number;
}

const MAX_OVERRUN = 2;
/** Anywhere in the first words: after them, an excuse is more likely to be quoted. */
const OPENING_CHARS = 160;
const EXCUSES =
	/^(?:[#*>\s"'-]*)(?:i(?:['’]m| am) sorry|sorry[,.]|i apologi[sz]e|my apologies|unfortunately,? i|i (?:do not|don['’]t|can(?:not|['’]t)|am unable|was unable|won['’]t)\b|as an ai\b|no (?:summary|content) (?:available|provided|to summari[sz]e))/i;
const WITHOUT_ACCESS = /i (?:do not|don['’]t) have (?:access|the ability|enough (?:context|information))/i;
const ROLE_PLAY =
	/\[tool_use:|<(?:tool_call|function_calls?|invoke|antml:)|^(?:[#*>\s"'-]*)(?:let me|i(?:['’]ll| will) (?:now |go ahead|do|check|run|read|look|start|help)|sure[,!]|certainly[,!]|of course[,!]|here(?:['’]s| is) (?:a|the|your) summary\b.{0,80}$)|let me (?:do|check|run|look at) that/i;

/** Why a text may not stand for its source. */
export interface SummaryRefusal {
	readonly reason: string;
	/** False: the model did what it was asked; there is too little to say it shorter. */
	readonly isFault: boolean;
}

/** Undefined: it may. */
export function refuseSummary(text: string, { sourceTokens, maxTokens }: SummaryLimits): SummaryRefusal | undefined {
	const fault = (reason: string): SummaryRefusal => ({ reason, isFault: true });
	const trimmed = text.trim();
	if (trimmed === "") return fault("it is empty");
	const opening = trimmed.slice(0, OPENING_CHARS);
	if (EXCUSES.test(opening) || WITHOUT_ACCESS.test(opening)) return fault("it is an apology, not a summary");
	if (ROLE_PLAY.test(opening)) return fault("it plays a role in place of summarising");
	const tokens = estimateTokens(trimmed);
	if (tokens >= sourceTokens) {
		const reason = `it is longer than its source (${tokens} tokens of ${sourceTokens})`;
		return { reason, isFault: tokens > maxTokens };
	}
	if (tokens > maxTokens * MAX_OVERRUN) return fault(`it is too long (${tokens} tokens, ${maxTokens} were allowed)`);
	return undefined;
}
