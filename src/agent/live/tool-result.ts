/**
 * A tool's result on its way to the model: shortened where it is too long, with the whole text kept first. What is shortened
 * here is never shortened again, so its bytes stay as they are in every later request.
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
	/** What the agent notes beside the text: an exit code, a diff. */
	readonly details?: unknown;
	/** True: the agent takes another text in its place. */
	readonly canReplace: boolean;
	/** For an agent that cuts output itself: finds the whole of it. */
	readonly findWhole?: (() => WholeOutput | undefined) | undefined;
}

export interface WholeOutput {
	readonly text: string;
	/** The agent's words after the output: how the command ended. */
	readonly status: string;
}

export interface ShortResult {
	readonly text: string;
	/** SHA-256 of the whole text, which is stored. Undefined: nothing was left out. */
	readonly blob?: string | undefined;
}

/** The text that goes in: the result's own, or a shorter one. */
export function shortenResult(engine: Engine, { tool, input }: GuardCall, result: ToolResult): ShortResult {
	const { log, settings } = engine;
	const { text, isError, canReplace } = result;
	if (!canReplace || settings.policyMode === "report" || log.readOnly || isOwnTool(tool)) return { text };
	const of = toolClass(tool);
	const whole = result.findWhole?.();
	const source = whole?.text ?? text;
	// A command says at the end of its output what went wrong: it is cut in the middle, never outlined.
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

/** Our own tools answer in pages, exact to the last byte. Agents put the server's name before the tool's. */
export function isOwnTool(tool: string): boolean {
	return /(?:^|_)(?:lcm_|weft_)/.test(tool);
}
