/**
 * The seed: the text that opens an epoch. Everything the agent would miss if its history were gone, rendered once from
 * what is true now, within a budget; what does not fit is named with the way to get it. No clock and no ages: the same
 * log and settings give the same bytes.
 */

import { getRecent } from "../../../fold/keyed.ts";
import type { SaidState } from "../../../session/said-fold.ts";
import { saidIn } from "../../../session/said-fold.ts";
import { estimateTokens } from "../../../tokens/estimate.ts";
import type { FileSource } from "../../../work/file-source.ts";
import type { PathState } from "../../../work/path-fold.ts";
import type { WorkState } from "../../../work/state.ts";
import type { TouchState } from "../../../work/touch-fold.ts";
import type { Seed } from "../../seed.ts";
import { commandsSection, decisionsSection, failuresSection, remarksSection, resolvedSection } from "./facts.ts";
import { ledgerSection, pathsSection } from "./paths.ts";
import { plansSection } from "./plans.ts";
import type { Section } from "./section.ts";
import { makeSection } from "./section.ts";
import { namedWords, usersSection } from "./users.ts";
import { workingSetSection } from "./working-set.ts";

export interface SeedState extends WorkState {
	readonly touches: TouchState;
	readonly said: SaidState;
	readonly paths: PathState;
}

export interface SeedInput {
	readonly session: string;
	readonly state: SeedState;
	readonly files: FileSource;
	readonly root: string;
	/** The section of history nodes with their handles. */
	readonly history?: Section | undefined;
	/** Text of the messages that stay raw after the seed. */
	readonly raw: string;
	readonly budget: number;
}

/** Shares of the budget; what a section leaves goes to the files, which are worth the most. */
const SHARES = {
	users: 0.14,
	plans: 0.08,
	decisions: 0.04,
	failures: 0.07,
	resolved: 0.01,
	commands: 0.06,
	remarks: 0.05,
	paths: 0.05,
	ledger: 0.05,
} as const;

const HEADING =
	"The work so far, computed from the log of this session. Earlier messages are not lost: lcm_grep finds them, lcm_expand with a handle gives them back whole.";

export function renderSeed(input: SeedInput): Seed {
	const { state, session, budget } = input;
	const share = (name: keyof typeof SHARES) => Math.floor(budget * SHARES[name]);
	const said = saidIn(state.said, session);
	const header = makeSection("header", `${HEADING}\n\n${repository(input)}`, 0);
	const before = [
		header,
		usersSection(said, share("users")),
		plansSection(said, input.files, state.touches, share("plans")),
		decisionsSection(state.decisions, share("decisions")),
		failuresSection(state.failures.failures, share("failures")),
		resolvedSection(state.failures.failures, share("resolved")),
		commandsSection(getRecent(state.progress.sessions, session), share("commands")),
		remarksSection(said, share("remarks")),
	];
	const after = [pathsSection(state.paths, share("paths")), ledgerSection(state.files, share("ledger")), input.history];
	const spent = [...before, ...after].reduce((sum, section) => sum + (section?.tokens ?? 0) + 2, 0);
	const files = workingSetSection({
		touches: state.touches,
		files: input.files,
		raw: input.raw,
		named: namedWords(said),
		budget: Math.max(0, budget - spent),
	});
	const sections = [...before, files, ...after].filter((section) => section !== undefined);
	const text = sections.map((section) => section.text).join("\n\n");
	return {
		text,
		tokens: estimateTokens(text),
		sections: sections.map(({ name, tokens, left }) => ({ name, tokens, left })),
	};
}

function repository({ state, root }: SeedInput): string {
	const name = root.slice(root.lastIndexOf("/") + 1) || root;
	const map = state.repo.map;
	if (!map) return `Repository: ${name}`;
	return `Repository: ${name}${map.head ? ` at ${map.head.slice(0, 12)}` : ""}, ${map.files} files`;
}
