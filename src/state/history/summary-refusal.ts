/**
 * May this text replace its source? Judges only the form: a summary that mentions a 401, or an apology in the code, is
 * fine; one that begins with an excuse or plays a role is not.
 */
import { estimateTokens } from "../../base/tokens/estimate.ts";

export interface SummaryLimits {
	readonly sourceTokens: number;
	readonly maxTokens: number;
}

const MAX_OVERRUN = 2;
/** Only here is an excuse the model's own: further on it is more likely a quote. */
const OPENING_CHARS = 160;
const EXCUSES =
	/^(?:[#*>\s"'-]*)(?:i(?:['’]m| am) sorry|sorry[,.]|i apologi[sz]e|my apologies|unfortunately,? i|i (?:do not|don['’]t|can(?:not|['’]t)|am unable|was unable|won['’]t)\b|as an ai\b|no (?:summary|content) (?:available|provided|to summari[sz]e))/i;
const WITHOUT_ACCESS = /i (?:do not|don['’]t) have (?:access|the ability|enough (?:context|information))/i;
const ROLE_PLAY =
	/\[tool_use:|<(?:tool_call|function_calls?|invoke|antml:)|^(?:[#*>\s"'-]*)(?:let me|i(?:['’]ll| will) (?:now |go ahead|do|check|run|read|look|start|help)|sure[,!]|certainly[,!]|of course[,!]|here(?:['’]s| is) (?:a|the|your) summary\b.{0,80}$)|let me (?:do|check|run|look at) that/i;

/** Why a text may not replace its source. */
export interface SummaryRefusal {
	readonly reason: string;
	/** False: the model did as asked, but the source is too short to summarise. */
	readonly isFault: boolean;
}

/** Undefined: the summary is accepted. */
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
