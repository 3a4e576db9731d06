/** The newest map of the repository. */

import { numberIn, type StateFold, textIn } from "../../log/fold/state-fold.ts";
import { handleOf } from "../../log/handle.ts";

export interface RepoNote {
	readonly handle: string;
	readonly ts: number;
	readonly head: string | null;
	readonly files: number;
	readonly folders: readonly (readonly [string, number])[];
	readonly extensions: readonly (readonly [string, number])[];
}

export interface RepoState {
	map: RepoNote | null;
}

const MAX_PAIRS = 20;

export const repoFold: StateFold<RepoState> = {
	name: "repo",
	version: 2,
	initial: () => ({ map: null }),
	step(state, record) {
		const { type, ts, payload } = record;
		if (type !== "RepoMap") return;
		state.map = {
			handle: handleOf(record),
			ts,
			head: textIn(payload, "head"),
			files: numberIn(payload, "files") ?? 0,
			folders: pairs(payload["folders"]),
			extensions: pairs(payload["extensions"]),
		};
	},
};

function pairs(value: unknown): [string, number][] {
	if (!Array.isArray(value)) return [];
	const found: [string, number][] = [];
	for (const item of value.slice(0, MAX_PAIRS)) {
		if (Array.isArray(item) && typeof item[0] === "string" && typeof item[1] === "number")
			found.push([item[0], item[1]]);
	}
	return found;
}
