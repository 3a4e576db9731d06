/** What the guard said of tool calls: the newest blocks and warnings, and how often each rule spoke. Per project. */
import type { StateFold } from "../projection/state-fold.ts";
import { sliceUnits } from "../text/truncate.ts";
import { getKey, type Keyed, setKey } from "./keyed.ts";
import { textIn } from "./payload.ts";

export interface VerdictNote {
	readonly seq: number;
	readonly ts: number;
	readonly session: string;
	/** block or warn; a refresh is only counted. */
	readonly verdict: string;
	readonly rule: string;
	/** enforce or report. */
	readonly mode: string;
	readonly tool: string;
	readonly path: string | null;
	/** The first words of the reason; the event has them all. */
	readonly reason: string;
}

export interface VerdictState {
	/** The newest last. */
	recent: VerdictNote[];
	/** `rule verdict` to how often. */
	counts: Keyed<number>;
}

const KEPT_RECENT = 20;
const KEPT_COUNTS = 64;
const REASON_CHARS = 300;

export const verdictFold: StateFold<VerdictState> = {
	name: "verdicts",
	version: 1,
	initial: () => ({ recent: [], counts: {} }),
	step(state, { type, session, seq, ts, payload }) {
		if (type !== "Verdict") return;
		const verdict = textIn(payload, "verdict") ?? "";
		const rule = textIn(payload, "rule") ?? "";
		const key = `${rule} ${verdict}`;
		const count = getKey(state.counts, key);
		if (count !== undefined || Object.keys(state.counts).length < KEPT_COUNTS)
			setKey(state.counts, key, (count ?? 0) + 1);
		if (verdict !== "block" && verdict !== "warn") return;
		state.recent.push({
			seq,
			ts,
			session,
			verdict,
			rule,
			mode: textIn(payload, "mode") ?? "enforce",
			tool: textIn(payload, "tool") ?? "",
			path: textIn(payload, "path"),
			reason: sliceUnits(textIn(payload, "reason") ?? "", REASON_CHARS),
		});
		if (state.recent.length > KEPT_RECENT) state.recent.shift();
	},
};
