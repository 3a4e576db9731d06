/**
 * Shortens a tool's result that is too long for the model, after storing the whole text. A shortened result is never shortened
 * again, so its bytes are the same in every later request.
 */

import { countLines } from "../../base/text/lines.ts";
import { bytesOfTokens } from "../../base/tokens/estimate.ts";
import type { Engine } from "../../engine.ts";
import { bound, type Limits, OUTPUT_LIMITS } from "../../guard/bound.ts";
import type { GuardCall } from "../../guard/types.ts";
import { stubLarge } from "../../state/history/large-content.ts";
import { pathOf } from "../../state/session/file-change.ts";
import { commandText } from "../../state/session/shell-command.ts";
import { toolClass } from "../../state/session/tool-class.ts";
import { limitToolResult } from "../../state/session/tool-result-limits.ts";

/** A result as an agent hands it over. */
export interface ToolResult {
	/** The text that the model would read. */
	readonly text: string;
	readonly isError: boolean;
	/** The agent's notes beside the text: an exit code, a diff. */
	readonly details?: unknown;
	/** True: the agent accepts another text in its place. */
	readonly canReplace: boolean;
	/** Finds the whole output where the agent itself has cut it. `lost`: the agent keeps no whole. Undefined: it has cut nothing. */
	readonly findWhole?: (() => WholeOutput | "lost" | undefined) | undefined;
}

export interface WholeOutput {
	readonly text: string;
	/** The agent's line after the output that says how the command ended. */
	readonly status: string;
}

export interface ShortResult {
	readonly text: string;
	/** SHA-256 of the whole text in the store. Undefined: the text is whole. */
	readonly blob?: string | undefined;
}

/** `findRoom`: tokens for one result, where the context has room for more than the fixed limits. */
export function shortenResult(
	engine: Engine,
	{ tool, input }: GuardCall,
	result: ToolResult,
	findRoom: () => number | undefined,
): ShortResult {
	const { log, settings } = engine;
	const { text, isError, canReplace } = result;
	if (!canReplace || settings.policyMode === "report" || log.readOnly || isOwnTool(tool)) return { text };
	const of = toolClass(tool);
	const found = result.findWhole?.();
	const isLost = found === "lost";
	const whole = isLost ? undefined : found;
	const source = whole?.text ?? text;
	const limits = limitsFor(source, findRoom);
	// A command reports errors at the end of its output, so it is cut in the middle, never outlined.
	if (of !== "shell" && !isError) {
		const path = pathOf(input);
		const thresholdTokens = Math.max(settings.largFileThresholdTokens, limits.tokens);
		const large = stubLarge(source, { store: (bytes) => log.putBlob(bytes), thresholdTokens, path });
		if (large.stubbed) return { text: isLost ? sayLost(large.text, large.hash) : large.text, blob: large.hash };
	}
	if (!source.isWellFormed()) return { text };
	const shorter = limitToolResult(source, { class: of, command: commandText(input) })?.text;
	const bounded = bound(shorter ?? source, isLost ? { ...limits, chars: limits.chars - LOST_CHARS } : limits);
	if (shorter === undefined && !bounded.cut) return { text };
	const blob = log.putBlob(Buffer.from(source, "utf8"));
	return { text: isLost ? sayLost(bounded.text, blob) : `${bounded.text}${whole?.status ?? ""}`, blob };
}

/** The words of `sayLost` are longer by at most this. */
const LOST_CHARS = 100;
/** A read that fits when it is judged fits with its line numbers too, although other calls of its answer have ended. */
const SLACK = 1.25;
/** Shorter lines are rare. */
const LINE_CHARS = 16;

function limitsFor(text: string, findRoom: () => number | undefined): Limits & { readonly tokens: number } {
	const isShort = text.length <= OUTPUT_LIMITS.chars && countLines(text) <= OUTPUT_LIMITS.lines;
	const tokens = isShort ? 0 : Math.floor((findRoom() ?? 0) * SLACK);
	const chars = Math.max(OUTPUT_LIMITS.chars, bytesOfTokens(tokens));
	return { tokens, chars, lines: Math.max(OUTPUT_LIMITS.lines, Math.floor(bytesOfTokens(tokens) / LINE_CHARS)) };
}

/**
 * The agent has cut the text before us, so the marks must not promise the whole of it. A text cannot contain its own hash:
 * only our marks change.
 */
function sayLost(text: string, hash: string): string {
	const handle = `b-${hash.slice(0, 12)}`;
	const get = `lcm_expand("${handle}") returns`;
	return text
		.replace(`${get} the whole text`, `the agent had already shortened this output, and ${get} what it kept`)
		.replace(`It is kept whole as ${handle};`, `The agent had already shortened it; what it kept is ${handle};`);
}

/** weft's own tools answer in pages that must not be cut. Agents put the server's name before the tool's. */
export function isOwnTool(tool: string): boolean {
	return /(?:^|_)(?:lcm_|weft_)/.test(tool);
}
