/** Decisions that later work relies on, with their reasons. A replaced one is kept for a while, marked. */

import { numberIn, type StateFold, textIn } from "../../log/fold/state-fold.ts";
import { handleOf } from "../../log/handle.ts";

export interface DecisionNote {
	readonly seq: number;
	readonly handle: string;
	readonly ts: number;
	readonly session: string;
	readonly text: string;
	readonly rationale: string | null;
	readonly supersedes: number | null;
}

export interface DecisionState {
	/** Decisions in force, the oldest first. */
	active: DecisionNote[];
	/** Replaced decisions, each with the seq of its replacement, the newest last. */
	superseded: (DecisionNote & { readonly by: number })[];
	count: number;
}

const MAX_ACTIVE = 200;
const MAX_SUPERSEDED = 20;

export const decisionFold: StateFold<DecisionState> = {
	name: "decisions",
	version: 2,
	initial: () => ({ active: [], superseded: [], count: 0 }),
	step(state, record) {
		const { type, session, seq, ts, payload } = record;
		const text = type === "Decision" ? textIn(payload, "text") : null;
		if (text === null) return;
		const supersedes = numberIn(payload, "supersedes");
		const replaced = supersedes === null ? undefined : state.active.find((known) => known.seq === supersedes);
		if (replaced) {
			state.superseded.push({ ...replaced, by: seq });
			state.active.splice(state.active.indexOf(replaced), 1);
			if (state.superseded.length > MAX_SUPERSEDED) state.superseded.shift();
		}
		const handle = handleOf(record);
		state.active.push({ seq, handle, ts, session, text, rationale: textIn(payload, "rationale"), supersedes });
		if (state.active.length > MAX_ACTIVE) state.active.shift();
		state.count++;
	},
};
