/**
 * The session that made a commit. By its hash, where the session's own `git commit` printed it. By its diff: see `commit-lines.ts`. By
 * its words: the session in which the words of its subject and the names in its diff are at home.
 */

import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import { isWithin } from "../log/search/filter.ts";
import type { SessionFilter } from "../log/search/types.ts";
import { termsOf } from "../state/memory/recall/terms.ts";
import { agentSessions } from "../state/session/find-session.ts";
import type { SessionState } from "../state/session/session-state.ts";
import { type LineEvidence, lineEvidence, linesOf, pathsIn } from "./commit-lines.ts";
import { type SaidWords, wordsAround } from "./line-story.ts";

export interface CommitText {
	readonly subject: string;
	/** Unified; empty: only the subject is known. */
	readonly diff: string;
	/** ms since the epoch: what was done after it did not make it. */
	readonly ts?: number | undefined;
	/** Its hash, if it is known. */
	readonly commit?: string | undefined;
}

export interface CommitMaker {
	readonly session: string;
	readonly host: string;
	/** Between 0 and 1: how much speaks for the session. */
	readonly share: number;
	/** When the session made the last of the edits, else when it began. */
	readonly ts: number;
	/** The last edit; null: by words alone. */
	readonly edit: string | null;
	/** The user's request then, and the agent's words. */
	readonly asked: SaidWords | null;
	readonly said: SaidWords | null;
}

export interface CommitSources {
	readonly log: Log;
	readonly within: SessionFilter;
	readonly root: string;
	readonly known: readonly string[];
}

const MAX_MAKERS = 10;

/** Weights beside that of the added lines that a session wrote, which is 1. */
const WEIGHTS = {
	removed: 1,
	wroteRemoved: 0.5,
	sawRemoved: 0.4,
	touched: 0.1,
	/** Of the names in the diff, and of the words of the subject. */
	names: 0.1,
	subject: 0.15,
	/** At work when the commit was made. */
	active: 0.2,
	/** The last session before the commit, and the first that found it there. */
	before: 0.1,
	first: 0.05,
	printed: 1,
} as const;

/** Of the added lines, from which on a session that saw them shows that the commit was there. */
const MIN_FOUND_THERE = 0.12;
/** What is left of the evidence for a session that began when the commit was there. */
const LATER = 0.3;

/** The likeliest first. */
export function commitMakers(sources: CommitSources, commit: CommitText): readonly CommitMaker[] {
	const { log, within } = sources;
	const { diff, subject, ts = Number.POSITIVE_INFINITY } = commit;
	const sessions = agentSessions(log)
		.filter(({ session, first_ts: began }) => isWithin(within, session) && began <= ts)
		.sort((one, other) => one.first_ts - other.first_ts);
	const lines = diff === "" ? new Map<string, LineEvidence>() : lineEvidence(sources, diff, ts);
	const names = diff === "" ? undefined : shareOfBest(atHome(sources, namesIn(diff), []));
	const words = shareOfBest(atHome(sources, subjectWords(subject), pairsOf(subjectWords(subject))));
	const printed = commit.commit === undefined ? undefined : printerOf(sources, commit.commit);
	const found = sessions.findIndex(({ session }) => foundThere(lines.get(session)));
	return sessions
		.flatMap((state, at): { readonly state: SessionState; readonly share: number }[] => {
			const { session } = state;
			const own = lines.get(session);
			const named = names?.get(session) ?? 0;
			const said = words.get(session) ?? 0;
			if (!own && named === 0 && said === 0 && session !== printed) return [];
			if (names === undefined) return [{ state, share: said }];
			const content =
				weigh(own) +
				WEIGHTS.names * named +
				WEIGHTS.subject * said +
				(isActiveAt(log, session, ts) ? WEIGHTS.active : 0);
			const share = inTime(content, found === -1 ? undefined : found - at);
			return [{ state, share: share + (session === printed ? WEIGHTS.printed : 0) }];
		})
		.sort((one, other) => other.share - one.share || other.state.last_ts - one.state.last_ts)
		.slice(0, MAX_MAKERS)
		.map(({ state: { session, host, first_ts: began }, share }) => {
			const last = lines.get(session)?.last;
			const around = last ? wordsAround(log, last) : { asked: null, said: null };
			return {
				session,
				host,
				share: Math.min(1, share),
				ts: last?.ts ?? began,
				edit: last ? handleOf(last) : null,
				...around,
			};
		});
}

function weigh(evidence: LineEvidence | undefined): number {
	if (!evidence) return 0;
	const { wrote, removed, wroteRemoved, sawRemoved, touched } = evidence;
	return (
		wrote +
		WEIGHTS.removed * removed +
		WEIGHTS.wroteRemoved * wroteRemoved +
		WEIGHTS.sawRemoved * sawRemoved +
		WEIGHTS.touched * touched
	);
}

function foundThere(evidence: LineEvidence | undefined): boolean {
	return evidence !== undefined && evidence.foundThere >= MIN_FOUND_THERE && evidence.wrote < evidence.foundThere;
}

/** `ahead`: how many sessions before the first that found the commit there; 0: that one; negative: after it. */
function inTime(share: number, ahead: number | undefined): number {
	if (ahead === undefined) return share;
	if (ahead < 0) return share * LATER;
	return share + (ahead === 0 ? WEIGHTS.first : WEIGHTS.before * 0.5 ** (ahead - 1));
}

const ACTIVE_MS = 600_000;

function isActiveAt(log: Log, session: string, ts: number): boolean {
	if (!Number.isFinite(ts)) return false;
	for (const _near of log.read({ session, since: ts - ACTIVE_MS, until: ts + ACTIVE_MS, limit: 1 })) return true;
	return false;
}

const SHORT_HASH_CHARS = 7;
const MAX_HITS = 20;

/** `[main 4be1c0f] Subject`: git prints it where the commit is made. */
function printerOf({ log, within }: CommitSources, commit: string): string | undefined {
	const hash = commit.slice(0, SHORT_HASH_CHARS).toLowerCase();
	const printed = new RegExp(`\\[[^\\]\\n]{1,120} ${hash}[0-9a-f]*\\] `);
	const { hits } = log.search.find({ text: hash, role: "toolResult", within, limit: MAX_HITS });
	return hits.toSorted((one, other) => one.seq - other.seq).find(({ snippet }) => printed.test(snippet))?.session;
}

const SATURATION = 6;
/** Documents that hold two words together say more than the words apart. */
const PAIR_WEIGHT = 1.5;
const [MAX_WORDS, MAX_NAMES] = [12, 32];
const SPOKEN = ["user", "assistant"] as const;
const NAME = /[\p{L}_][\p{L}\p{N}_]{3,}/gu;

function subjectWords(subject: string): readonly string[] {
	return termsOf(subject).slice(0, MAX_WORDS);
}

function pairsOf(words: readonly string[]): readonly string[] {
	return words.flatMap((word, at) => words.slice(at + 1, at + 4).map((other) => `${word} ${other}`));
}

/** The longest ones, which are the rarest. */
function namesIn(diff: string): readonly string[] {
	const texts = [...pathsIn(diff), ...[...linesOf(diff)].map(({ text }) => text)];
	return [...new Set(texts.flatMap((text) => text.match(NAME) ?? []))]
		.toSorted((one, other) => other.length - one.length)
		.slice(0, MAX_NAMES);
}

/** By how often a session says the words, where words that few sessions say count more. */
function atHome(
	{ log, within }: CommitSources,
	words: readonly string[],
	pairs: readonly string[],
): ReadonlyMap<string, number> {
	const counts = (text: string) => {
		const sums = new Map<string, number>();
		for (const role of SPOKEN) {
			for (const [session, n] of log.search.countBySession(text, { role, within }))
				sums.set(session, (sums.get(session) ?? 0) + n);
		}
		return sums;
	};
	const all = [
		...words.map((word) => ({ weight: 1, found: counts(word) })),
		...pairs.map((pair) => ({ weight: PAIR_WEIGHT, found: counts(pair) })),
	];
	const sessions = new Set(all.flatMap(({ found }) => [...found.keys()]));
	const scores = new Map<string, number>();
	for (const { found, weight } of all) {
		const rarity = Math.log(1 + (sessions.size - found.size + 0.5) / (found.size + 0.5)) * weight;
		for (const [session, n] of found) scores.set(session, (scores.get(session) ?? 0) + (rarity * n) / (n + SATURATION));
	}
	return scores;
}

function shareOfBest(scores: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
	const best = Math.max(...scores.values(), Number.MIN_VALUE);
	return new Map([...scores].map(([session, score]) => [session, score / best]));
}
