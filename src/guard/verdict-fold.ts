/** The guard's recent verdicts, for the state that people and models see, and how often each was repeated. */

import { ownValue } from "../base/collection/own-value.ts";
import { cutStart } from "../base/text/cut.ts";
import { firstLine } from "../base/text/lines.ts";
import { type EventRecord, isA, type Payload } from "../log/event/types.ts";
import { dropRecent, emptyRecent, getRecent, putRecent, type Recent } from "../log/fold/keyed.ts";
import type { StateFold } from "../log/fold/state-fold.ts";
import { handleOf } from "../log/handle.ts";
import { sessionKey } from "../log/session-ref.ts";

export interface RecentVerdict {
	seq: number;
	handle: string;
	ts: number;
	session: string;
	host: string;
	verdict: "block" | "warn";
	rule: string;
	mode: "enforce" | "report";
	tool: string;
	callId: string;
	path: string | null;
	/** The first line. */
	reason: string;
}

export interface VerdictState {
	/** The newest last. */
	recent: RecentVerdict[];
	/** How often each rule has blocked and warned, since the log began. */
	counts: Record<string, { block: number; warn: number }>;
	/** Blocks in a row on a path, or of a command: the same rule, and the same bytes found. */
	streaks: Recent<{ rule: string; hash: string | null; count: number }>;
}

const MAX_VERDICTS = 20;
const MAX_STREAKS = 200;
const MAX_RULES = 50;
const MAX_REASON_CHARS = 300;

export const verdictFold: StateFold<VerdictState> = {
	name: "guard-verdict",
	version: 4,
	initial: () => ({ recent: [], counts: {}, streaks: emptyRecent() }),
	step(state, record) {
		if (isA(record, "Verdict")) judged(state, record, record.payload);
		else if (isA(record, "FileRead")) endStreak(state, record, record.payload.path);
		else if (isA(record, "FileChanged") && record.payload.actor !== "other") {
			endStreak(state, record, record.payload.path);
		}
	},
};

/** How often in a row this was already blocked. */
export function blocksInRow(
	state: VerdictState,
	of: { readonly session: string; readonly host: string },
	block: { readonly path: string | undefined; readonly rule: string; readonly hash: string | undefined },
): number {
	const streak = getRecent(state.streaks, streakKey(of, block.path ?? block.hash));
	return streak && streak.rule === block.rule && streak.hash === (block.hash ?? null) ? streak.count : 0;
}

function judged(state: VerdictState, event: EventRecord, payload: Payload<"Verdict">): void {
	const { verdict, rule, path, hash } = payload;
	// A warning continues the streak: it replaces a third block.
	if (verdict === "refresh") {
		// A block's own diff continues the streak too.
		if (payload.why !== "shown") endStreak(state, event, path);
		return;
	}
	if (verdict === "block") {
		const count = blocksInRow(state, event, { path, rule, hash }) + 1;
		putRecent(state.streaks, streakKey(event, path ?? hash), { rule, hash: hash ?? null, count }, MAX_STREAKS);
	}
	count(state.counts, rule, verdict);
	state.recent.push({
		seq: event.seq,
		handle: handleOf(event),
		ts: event.ts,
		session: event.session,
		host: event.host,
		verdict,
		rule,
		mode: payload.mode,
		tool: payload.tool,
		callId: payload.callId,
		path: path ?? null,
		reason: cutStart(firstLine(String(payload.reason)), MAX_REASON_CHARS).toWellFormed(),
	});
	if (state.recent.length > MAX_VERDICTS) state.recent.shift();
}

/** Rule names come from the log: those of another version may be anything, even `__proto__`. */
function count(counts: VerdictState["counts"], rule: string, verdict: "block" | "warn"): void {
	if (!/^[a-z-]{1,40}$/.test(rule)) return;
	const known = ownValue(counts, rule);
	if (known) known[verdict]++;
	else if (Object.keys(counts).length < MAX_RULES) counts[rule] = { block: 0, warn: 0, [verdict]: 1 };
}

function endStreak(state: VerdictState, event: EventRecord, path: string | undefined): void {
	dropRecent(state.streaks, streakKey(event, path));
}

function streakKey(of: { readonly session: string; readonly host: string }, subject: string | undefined): string {
	return `${sessionKey(of)} ${subject ?? ""}`;
}
