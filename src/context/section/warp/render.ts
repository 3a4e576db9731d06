/**
 * The Warp context: what is true now as one text, within a budget. Sections get their room in order of weight (header
 * and footer, failures, decisions, working set, the rest) and stand in the document's order. Pure: the same state, files,
 * budget and time give the same bytes.
 */
import { bytesOfTokens, estimateTokens } from "../../../tokens/estimate.ts";
import { SHARES } from "../budget.ts";
import { bytesOf, type ContextItem } from "../section.ts";
import { renderDecisions } from "./decisions.ts";
import { renderFailures } from "./failures.ts";
import { renderFooter, renderHeader } from "./header.ts";
import type { WarpInput } from "./input.ts";
import { renderRest } from "./rest.ts";
import { renderWorkingSet } from "./working-set.ts";

export interface WarpContext {
	readonly text: string;
	readonly tokens: number;
	readonly items: readonly ContextItem[];
}

/** What header, footer and the shortest list of failures need. */
export const LEAST_BUDGET_TOKENS = 250;

export function renderWarp(input: WarpInput): WarpContext {
	const session = input.session ?? input.state.sessions.current;
	const bytes = bytesOfTokens(Math.max(input.budget, LEAST_BUDGET_TOKENS));
	const header = renderHeader(input, session, bytes);
	const footer = renderFooter();
	let left = bytes - bytesOf(header.lines) - bytesOf(footer.lines);
	const within = <Part extends { readonly lines: readonly string[] }>(section: Part): Part => {
		left -= bytesOf(section.lines);
		return section;
	};
	const failures = within(renderFailures(input, left * SHARES.failures));
	const decisions = within(renderDecisions(input, left * SHARES.decisions));
	const files = within(renderWorkingSet(input, session, left * SHARES.workingSet));
	const rest = within(renderRest(input, session, left));
	const sections = [header, files, failures, decisions, rest, footer];
	const text = `${sections.flatMap((section) => section.lines).join("\n")}\n`;
	return { text, tokens: estimateTokens(text), items: sections.flatMap((section) => section.items) };
}
