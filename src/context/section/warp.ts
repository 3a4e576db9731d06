/**
 * The Warp context: the current state as one text, within a budget. Sections get their room by weight (header and
 * footer, failures, decisions, working set, the rest) and appear in the document's order. Pure: the same state, files,
 * budget and time give the same bytes.
 */
import { bytesOfTokens } from "../../base/tokens/estimate.ts";
import type { FileSource } from "../../state/work/file-source.ts";
import type { ProjectState } from "../project-state.ts";
import { renderBlocks, renderDecisions, renderLatency, renderProgress } from "./facts.ts";
import { renderFailures, renderResolved } from "./failures.ts";
import { renderFooter, renderWarpHeader } from "./header.ts";
import { renderScoredFiles } from "./scored-files.ts";
import type { ComposedSeed } from "./section.ts";
import { bytesTaken, isOurTool, joinSections, makeSection, type Section, type SectionStyle } from "./section.ts";

/** Characters inside a line that some readers take for a line break. */
const INNER_BREAK = /[\r\v\f\u0085\u2028\u2029](?=.)/gs;

export interface WarpInput {
	readonly state: ProjectState;
	/** The texts of the files, read while rendering. */
	readonly files: FileSource;
	/** The texts as the log knew them, to say what changed in a stale file. */
	readonly known?: FileSource | undefined;
	/** Tokens that the text may take. */
	readonly budget: number;
	/** Tokens of the model's window, shown beside the budget. */
	readonly window?: number | undefined;
	/** For ages; ms since the epoch. */
	readonly now: number;
	/** The session of the intent and the progress; by default the current one. */
	readonly session?: string | undefined;
	/** The repository's name, if the session's folder does not give it. */
	readonly repository?: string | undefined;
	/** How many files the working set has at most. */
	readonly workingSetFiles?: number | undefined;
	/** False: the agent cannot call our tools. */
	readonly namesTools?: boolean | undefined;
}

/** Enough for the header, the footer and the shortest list of failures. */
export const MIN_BUDGET_TOKENS = 250;

/** Of the room left at each section's turn. These are Warp's. */
const SHARES = { failures: 0.35, decisions: 0.2, files: 0.75, rest: 1 } as const;

export function renderWarp(input: WarpInput): ComposedSeed {
	const { state, files, known, workingSetFiles: most } = input;
	const session = input.session ?? state.sessions.current;
	const style = warpStyle(input.now, input.namesTools);
	const budget = Math.max(input.budget, MIN_BUDGET_TOKENS);
	const bytes = bytesOfTokens(budget);
	const header = renderWarpHeader(state, session, input.repository, { budget, window: input.window });
	const footer = renderFooter(style);
	let left = bytes - bytesTaken(header) - bytesTaken(footer);
	const within = (share: keyof typeof SHARES, render: (bytes: number) => Section): Section => {
		const section = render(left * SHARES[share] - 1);
		left -= bytesTaken(section);
		return section;
	};
	const failures = within("failures", (room) => {
		const { failures } = state.failures;
		// Always present, as the document asks.
		if (failures.open.length === 0) return makeSection("failures", ["Open Failures (0): none"], []);
		return renderFailures(failures, style, room);
	});
	const decisions = within("decisions", (room) => renderDecisions(state.decisions, style, room));
	const set = within("files", (room) => renderScoredFiles({ state, session, files, known, most }, style, room));
	const rest = [
		within("rest", (room) => renderResolved(state.failures.failures, state.files, style, room)),
		within("rest", (room) => renderBlocks(state.verdicts, style, room)),
		within("rest", (room) => renderProgress(state.progress, session, style, room)),
		within("rest", (room) => renderLatency(state.latency, style, room)),
	];
	return joinSections([header, set, failures, decisions, ...rest, footer], "\n");
}

function warpStyle(now: number, namesTools = true): SectionStyle {
	return {
		heading: (title) => `${title}:`,
		notice: (words, way = "lcm_grep") => `  … ${namesTools || !isOurTool(way) ? `${words}: ${way}` : words}`,
		reference: (handle) => (namesTools ? ` [${handle}]` : ""),
		pieceHeading: (from, count) => [`  Lines ${from}-${from + count - 1}:`],
		quote: (line) => `|${line.replace(INNER_BREAK, "$&|")}`,
		namesTools,
		now,
	};
}
