/**
 * The seed: the text that opens an epoch. Everything that the agent would miss without its history, rendered once from
 * the current state, within a budget; what does not fit is named with the way to get it. No clock and no ages: the same
 * log and settings give the same bytes.
 */

import { bytesOfTokens } from "../../base/tokens/estimate.ts";
import { type NotesState, notesIn } from "../../state/memory/session/notes-fold.ts";
import { type ThreadState, threadIn } from "../../state/thread/thread.ts";
import { type ConversationState, conversationIn } from "../../state/session/conversation.ts";
import type { FileSource } from "../../state/work/file-source.ts";
import type { PathState } from "../../state/work/path-fold.ts";
import type { TouchState } from "../../state/work/touch-fold.ts";
import type { WorkState } from "../../state/work/work-state.ts";
import {
	forbiddenNames,
	type HistoryNode,
	namedWords,
	ownWords,
	renderHistory,
	renderPlans,
	renderRemarks,
	renderUsers,
} from "./conversation.ts";
import { renderCurrentState, renderNextSteps } from "./current-state.ts";
import { renderCommands, renderDecisions } from "./facts.ts";
import { renderFailures, renderResolved } from "./failures.ts";
import { renderSeedHeader } from "./header.ts";
import { type KeepRequest, renderKeepRequest } from "./keep-request.ts";
import { renderLedger, renderPaths } from "./paths.ts";
import { bytesTaken, type ComposedSeed, isOurTool, joinSections, type SectionStyle } from "./section.ts";
import { renderThread } from "./thread.ts";
import { renderWarmFiles } from "./warm-files.ts";

export interface SeedState extends WorkState {
	readonly touches: TouchState;
	readonly said: ConversationState;
	readonly paths: PathState;
	/** Notes in SESSION.md. */
	readonly notes: NotesState;
	readonly thread: ThreadState;
}

export interface SeedInput {
	readonly session: string;
	readonly host: string;
	readonly state: SeedState;
	readonly files: FileSource;
	readonly root: string;
	/** The summaries of the messages that left, oldest first. */
	readonly nodes?: readonly HistoryNode[] | undefined;
	/** The user's words on what to keep. */
	readonly asked?: KeepRequest | undefined;
	/** Text of the messages that stay raw after the seed. */
	readonly raw: string;
	/** The agent's recent words, newest first. */
	readonly answers?: Iterable<string> | undefined;
	/** Tokens that the text may take. */
	readonly budget: number;
	/** False: the agent cannot call our tools. */
	readonly namesTools?: boolean | undefined;
}

/** Of the budget; unused shares go to the files, which are worth the most. */
const SHARES = {
	standing: 0.08,
	next: 0.01,
	users: 0.08,
	asked: 0.15,
	plans: 0.08,
	decisions: 0.04,
	failures: 0.045,
	resolved: 0.02,
	commands: 0.03,
	remarks: 0.035,
	paths: 0.05,
	ledger: 0.05,
	history: 0.05,
} as const;

export const SEED_STYLE: SectionStyle = {
	heading: (title) => `## ${title}`,
	notice: (words, way = "lcm_grep") => `[${words}: ${way}]`,
	namesTools: true,
	reference: (handle) => ` [${handle}]`,
	pieceHeading: (from, count) => [`[lines ${from}-${from + count - 1}]`],
	quote: (line) => line,
};

/** Without our tools, omitted items are only counted. */
const STYLE_WITHOUT_TOOLS: SectionStyle = {
	...SEED_STYLE,
	notice: (words, way = "lcm_") => (isOurTool(way) ? `[${words}]` : `[${words}: ${way}]`),
	namesTools: false,
};

export function renderSeed(input: SeedInput): ComposedSeed {
	const { session, state, files, root, nodes = [], asked, raw, answers = [], budget, namesTools = true } = input;
	const style = namesTools ? SEED_STYLE : STYLE_WITHOUT_TOOLS;
	const bytes = bytesOfTokens(budget);
	const share = (name: keyof typeof SHARES) => Math.floor(bytes * SHARES[name]);
	const { failures } = state.failures;
	const said = conversationIn(state.said, session);
	const notes = notesIn(state.notes, { session, host: input.host });
	const standing = { said, progress: state.progress, notes, session, raw };
	const before = [
		renderSeedHeader(state, root, style),
		renderCurrentState(standing, style, share("standing")),
		renderNextSteps(standing, style, share("next")),
		renderThread(threadIn(state.thread, session), raw, style, Number(process.env["THREAD"] ?? 6000) * 3.2),
		...(asked ? [renderKeepRequest(asked, style, share("asked"))] : []),
		renderPlans(said, files, state.touches, style, share("plans")),
		renderDecisions(state.decisions, style, share("decisions")),
		renderFailures(failures, style, share("failures")),
		renderResolved(failures, state.files, style, share("resolved")),
		renderCommands(state.progress, session, raw, style, share("commands")),
		renderRemarks(said, raw, style, share("remarks")),
	];
	const after = [
		renderPaths(state.paths, style, share("paths")),
		renderLedger(state.files, style, share("ledger")),
		renderHistory(nodes, style, share("history")),
	];
	const left = [...before, ...after].reduce((rest, section) => rest - bytesTaken(section), bytes + Number(process.env["EXTRA"] ?? 0) * 3.2);
	const named = namedWords([...(said?.users ?? []), ...(asked ? [{ text: asked.words }] : [])]);
	const warm = {
		session,
		touches: state.touches,
		ledger: state.files,
		files,
		raw,
		named,
		forbidden: forbiddenNames(said),
		own: ownWords(answers),
	};
	return joinSections([...before, renderWarmFiles(warm, style, left - 1), ...after]);
}
