/**
 * Shortens a tool's result that is too long for the model, after storing the whole text. A shortened result is never shortened
 * again, so its bytes are the same in every later request.
 */

import { asText } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import { bound } from "../../guard/bound.ts";
import type { GuardCall } from "../../guard/types.ts";
import { stubLarge } from "../../state/history/large-content.ts";
import { pathOf } from "../../state/session/file-change.ts";
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
	/** Finds the whole output where the agent itself cuts it. */
	readonly findWhole?: (() => WholeOutput | undefined) | undefined;
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

export function shortenResult(engine: Engine, { tool, input }: GuardCall, result: ToolResult): ShortResult {
	const { log, settings } = engine;
	const { text, isError, canReplace } = result;
	if (!canReplace || settings.policyMode === "report" || log.readOnly || isOwnTool(tool)) return { text };
	const of = toolClass(tool);
	const whole = result.findWhole?.();
	const source = whole?.text ?? text;
	// A command reports errors at the end of its output, so it is cut in the middle, never outlined.
	if (of !== "shell" && !isError) {
		const path = pathOf(input);
		const thresholdTokens = settings.largFileThresholdTokens;
		const large = stubLarge(source, { store: (bytes) => log.putBlob(bytes), thresholdTokens, path });
		if (large.stubbed) return { text: large.text, blob: large.hash };
	}
	if (!source.isWellFormed()) return { text };
	const shorter = limitToolResult(source, { class: of, command: asText(input["command"]) })?.text;
	const bounded = bound(shorter ?? source);
	if (shorter === undefined && !bounded.cut) return { text };
	return { text: `${bounded.text}${whole?.status ?? ""}`, blob: log.putBlob(Buffer.from(source, "utf8")) };
}

/** weft's own tools answer in pages that must not be cut. Agents put the server's name before the tool's. */
export function isOwnTool(tool: string): boolean {
	return /(?:^|_)(?:lcm_|weft_)/.test(tool);
}
