/** The parts of a request, each with the reason why it is there, for people who ask what the model saw. */

import type { ModeName } from "./moment.ts";
import type { Opening, PathMessage } from "./path.ts";
import type { ContextItem } from "./section/section.ts";

export function openingParts(opening: Omit<Opening, "place" | "madeAt"> | undefined): ContextItem[] {
	if (!opening) return [];
	const { by, tokens, sections, parts, op } = opening;
	if (parts) return [...parts];
	const why =
		by === "host"
			? "the host's own summary of what was before"
			: `frozen when it was ${op.invalidateCacheReason ?? "made"}`;
	if (sections.length === 0) return [{ id: "opening", kind: "opening", tokens, why, included: true }];
	return sections.map(({ name, tokens, left, handle }) => {
		const rest = left > 0 ? `; ${left} more did not fit` : "";
		const part = {
			id: `seed:${name}`,
			kind: "seed",
			tokens,
			why: `${sectionRule(name)}${rest}`,
			included: true,
			handle,
		};
		return left > 0 ? { ...part, left } : part;
	});
}

const WHY_RAW: Readonly<Record<ModeName, string>> = {
	woven: "after the seal, raw",
	warp: "the run that is going on",
	lossless: "not covered by a summary",
	off: "the host's own history",
	host: "the host's own history",
};

export function messageParts(messages: readonly PathMessage[], mode: ModeName, opening: unknown): ContextItem[] {
	const why = opening ? WHY_RAW[mode] : "nothing has left yet";
	return messages.map(({ id, tokens, role, handle }) => ({
		id: `message:${id}`,
		kind: role,
		tokens,
		why,
		included: true,
		handle,
	}));
}

/** Why each section of a seed holds what it holds. */
const RULES: Readonly<Record<string, string>> = {
	header: "says what the text is, and of which project",
	asked: "what the user asked to keep, and the lines that speak of it",
	standing: "Current State: the request, what was done for it, what was said last",
	next: "Next Steps: of SESSION.md, the plan, or what was announced",
	users: "the user's own words, the newest first",
	plans: "the newest plan and todo list",
	decisions: "decisions that were written down",
	blocks: "what the guard refused lately",
	failures: "failures that are open",
	resolved: "failures that were resolved lately",
	commands: "the newest commands and how they ended",
	remarks: "what the agent said last",
	files: "lines of files by the heat of their reads and changes",
	paths: "paths that came by, the newest first",
	ledger: "files that were read or changed, the newest first",
	history: "summaries of what left, with their handles",
};

function sectionRule(name: string): string {
	return RULES[name] ?? (/^s-[0-9a-f]+$/.test(name) ? "a summary of what left" : "a part of what opens the request");
}
