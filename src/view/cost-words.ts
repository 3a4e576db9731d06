/** A cost and its parts in words. Apart, because the inspector's page loads it. */
import type { DearItem, PartName } from "./cost-parts.ts";
import { projectNames } from "./project-name.ts";

/** `~$1.20` where some of it is an estimate, `~$1.20?` where no list has the price of a model in it. For every view of a cost. */
export function markCost(money: string, { estimated, assumed = false }: CostMarks): string {
	return `${estimated ? "~" : ""}${money}${assumed ? "?" : ""}`;
}

export interface CostMarks {
	readonly estimated: boolean;
	readonly assumed?: boolean | undefined;
}

export const COST_SPANS = ["day", "week", "month"] as const;

/** What a cost can be told by. */
export const COST_GROUPS = [...COST_SPANS, "session", "model", "agent", "project"] as const;

/** Of the parts that were paid again. */
export const CAUSES: Readonly<Record<string, string>> = {
	cold: "the cache went cold in a pause",
	compaction: "the agent compacted its history",
	model: "another model was asked",
	broken: "the agent changed what it had sent, or the provider lost it",
	lost: "the provider did not find what it had cached",
};

export const PART_WORDS: Readonly<Record<PartName, string>> = {
	output: "output",
	new: "new input",
	history: "history, read from the cache",
	head: "system and tools, read from the cache",
	cold: "paid again: cold after a pause",
	compaction: "paid again: compaction by the agent",
	model: "paid again: another model",
	broken: "paid again: the prefix broke",
	lost: "paid again: lost by the provider",
	seal: "seals of weft",
};

/** Names the project of a file or command where the list has the same name of another one. */
export function dearNames(dearest: readonly DearItem[]): string[] {
	const short = projectNames(dearest.map(({ project }) => project));
	return dearest.map(({ name, project }) => {
		const isShared = dearest.some((other) => other.name === name && other.project !== project);
		return isShared ? `${name} (${short.get(project) ?? project})` : name;
	});
}
