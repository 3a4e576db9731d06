/** Short lists of facts: decisions, failures, what was run and said last. */
import type { SessionSaid } from "../../../session/said-fold.ts";
import type { DecisionState } from "../../../work/decision-fold.ts";
import type { Failure, FailureState } from "../../../work/failure/fold.ts";
import type { SessionProgress } from "../../../work/progress-fold.ts";
import { clip, listSection, type Section } from "./section.ts";

const RESOLVED = 5;

export function decisionsSection(state: DecisionState, budget: number): Section | undefined {
	const items = state.active.toReversed().map(({ handle, text, rationale }) => {
		return `- ${text}${rationale ? ` (because ${rationale})` : ""} [${handle}]`;
	});
	return listSection("decisions", "## Decisions that hold", items, budget, (left) => `[${left} older ones: lcm_grep]`);
}

export function failuresSection(state: FailureState, budget: number): Section | undefined {
	const items = state.open.toReversed().map((failure) => clip(failureLine(failure), budget / 2, failure.lastHandle));
	return listSection("failures", "## Open failures", items, budget, (left) => `[${left} more open failures]`);
}

export function resolvedSection(state: FailureState, budget: number): Section | undefined {
	const items = state.resolved
		.slice(-RESOLVED)
		.reverse()
		.map((failure) => `- ${failure.id}`);
	return listSection("resolved", "## Resolved lately", items, budget, (left) => `[${left} more]`);
}

export function commandsSection(progress: SessionProgress | undefined, budget: number): Section | undefined {
	const seen = new Set<string>();
	const items = (progress?.recentCommands ?? []).toReversed().flatMap(({ command, exit, handle }) => {
		if (seen.has(command)) return [];
		seen.add(command);
		return [`- ${command.replaceAll("\n", " ")} → ${exit === null ? "exit unknown" : `exit ${exit}`} [${handle}]`];
	});
	return listSection("commands", "## Commands, the newest first", items, budget, (left) => `[${left} older ones]`);
}

/** What the agent found out and said; among it the ways that led nowhere. */
export function remarksSection(said: SessionSaid | undefined, budget: number): Section | undefined {
	const items = (said?.remarks ?? [])
		.toReversed()
		.map(({ handle, text }) => `- (${handle}) ${clip(text, budget / 2, handle)}`);
	return listSection(
		"remarks",
		"## What you said last, the newest first",
		items,
		budget,
		(left) => `[${left} older ones]`,
	);
}

function failureLine(failure: Failure): string {
	const tries = failure.attempts > 1 ? `, attempt ${failure.attempts}` : "";
	const repeats = failure.repeats > 0 ? `, seen again ${failure.repeats}× with nothing changed` : "";
	const flags = `${failure.flaky ? ", flaky" : ""}${failure.regressions > 0 ? ", came back" : ""}`;
	return `- ${failure.id}${tries}${repeats}${flags}\n  ${failure.message.replaceAll("\n", "\n  ")} [${failure.lastHandle}]`;
}
