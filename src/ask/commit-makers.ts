/**
 * The session that made a commit. By its hash, where the session's own `git commit` printed it. By its diff: see `commit-lines.ts`. By
 * its words: the session in which the words of its subject and the names in its diff are at home.
 */

import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import { isWithin } from "../log/search/filter.ts";
import type { Hit, SessionFilter } from "../log/search/types.ts";
import { collectWords } from "../message/dialect/content.ts";
import { callsOf, resultsOf, shownText, viewMessage } from "../message/view.ts";
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
	/** Of the keys of issues in both. */
	keys: 0.1,
	/** At work when the commit was made. */
	active: 0.2,
	/** The last session before the commit, and the first that found it there, by its lines or its hash. */
	before: 0.1,
	first: 0.05,
	/** More than all else together. */
	printed: 2,
} as const;

/** Of the added lines, from which on a session that saw them shows that the commit was there. */
const MIN_FOUND_THERE = 0.12;
/** What the rarest two or three words of a subject score in a session that often says them. */
const ENOUGH_WORDS = 3;
/** What is left of the evidence for a session that began when the commit was there. */
const LATER = 0.3;
/** And for the first that saw the lines, if it wrote none of them and removed none. */
const READER = 0.5;

/** The likeliest first. */
export function commitMakers(sources: CommitSources, commit: CommitText): readonly CommitMaker[] {
	const { log, within } = sources;
	const { diff, subject } = commit;
	const shown = commit.commit === undefined ? [] : resultsWith(sources, shortHash(commit.commit));
	// Whoever sees the hash sees it after the commit was made.
	const ts = Math.min(commit.ts ?? Number.POSITIVE_INFINITY, ...shown.map((hit) => hit.ts));
	const sessions = agentSessions(log)
		.filter(({ session, first_ts: began }) => isWithin(within, session) && began <= ts)
		.sort((one, other) => one.first_ts - other.first_ts);
	const lines = diff === "" ? new Map<string, LineEvidence>() : lineEvidence(sources, diff, ts);
	const names = diff === "" ? undefined : shareOfBest(atHome(sources, namesIn(diff), []));
	const keys = shareOfBest(atHome(sources, issueKeysIn(`${subject}\n${diff}`), []));
	const said = atHome(sources, subjectWords(subject), pairsOf(subjectWords(subject)));
	const words = shareOfBest(said);
	// "Fix lint" is at home everywhere.
	const telling = Math.min(1, Math.max(...said.values(), 0) / ENOUGH_WORDS);
	const printed = commit.commit === undefined ? undefined : printerOf(log, shown, shortHash(commit.commit));
	// Words only decide what the lines leave open.
	const open = 1 - [...lines.values()].reduce((sum, own) => sum + own.wrote + own.removed + own.wroteRemoved, 0);
	const found = sessions.findIndex(({ session }) => foundThere(lines.get(session)));
	return sessions
		.flatMap((state, at): { readonly state: SessionState; readonly share: number }[] => {
			const { session } = state;
			const own = lines.get(session);
			const named = names?.get(session) ?? 0;
			const spoken = words.get(session) ?? 0;
			if (!own && named === 0 && spoken === 0 && session !== printed) return [];
			if (names === undefined) return [{ state, share: spoken }];
			const content =
				weigh(own) +
				open * (WEIGHTS.names * named + WEIGHTS.keys * (keys.get(session) ?? 0) + WEIGHTS.subject * telling * spoken) +
				(isActiveAt(log, session, commit.ts) ? WEIGHTS.active : 0) +
				(session === shown[0]?.session ? WEIGHTS.first : 0);
			const share = inTime(
				content,
				found === -1 ? undefined : found - at,
				own === undefined || own.wrote + own.removed === 0,
			);
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
function inTime(share: number, ahead: number | undefined, isReader: boolean): number {
	if (ahead === undefined) return share;
	if (ahead < 0) return share * LATER;
	if (ahead === 0) return (share + WEIGHTS.first) * (isReader ? READER : 1);
	return share + WEIGHTS.before * 0.5 ** (ahead - 1);
}

const ACTIVE_MS = 600_000;

function isActiveAt(log: Log, session: string, ts: number | undefined): boolean {
	if (ts === undefined) return false;
	for (const _near of log.read({ session, since: ts - ACTIVE_MS, until: ts + ACTIVE_MS, limit: 1 })) return true;
	return false;
}

const SHORT_HASH_CHARS = 7;
const MAX_HITS = 20;

function shortHash(commit: string): string {
	return commit.slice(0, SHORT_HASH_CHARS).toLowerCase();
}

/** Results of tools that show the hash, the oldest first. */
function resultsWith({ log, within }: CommitSources, hash: string): readonly Hit[] {
	const { hits } = log.search.find({ text: hash, role: "toolResult", within, limit: MAX_HITS });
	return hits.toSorted((one, other) => one.ts - other.ts);
}

/** The session whose own command made the commit: git printed the hash, or the same command asked for it. */
function printerOf(log: Log, shown: readonly Hit[], hash: string): string | undefined {
	// `[main 4be1c0f] Subject`: git prints it where the commit is made.
	const printed = new RegExp(`\\[[^\\]\\n]{1,120} ${hash}[0-9a-f]*\\] `);
	return (
		shown.find(({ snippet }) => printed.test(snippet)) ?? shown.find((hit) => isNewestAfterCommit(log, hit, hash))
	)?.session;
}

const HASH = /(?<![\p{L}\p{N}])[0-9a-f]{7,40}(?![\p{L}\p{N}])/iu;
const MAKES_COMMIT = /\bgit\b[^\n;|&]*\s(?:commit|cherry-pick|revert|rebase|merge|am)\b/;

/** Messages between a commit and the command that shows its hash. */
const MAX_BACK = 8;

/** `git commit -q …`, and in the same command or soon after `git log --oneline -3`: the first hash is the new commit. */
function isNewestAfterCommit(log: Log, { seq, session }: Pick<Hit, "seq" | "session">, hash: string): boolean {
	let shown: string | undefined;
	let back = 0;
	for (const { seq: at, payload } of log.read({ session, types: ["Message"], upTo: seq, order: "newest" })) {
		const view = viewMessage(payload);
		if (at === seq) shown = HASH.exec(shownText(view))?.[0].toLowerCase();
		if (shown?.startsWith(hash) !== true || ++back > MAX_BACK) return false;
		if (view.role === "user" && resultsOf(view).length === 0) return false;
		if (callsOf(view).some(({ input }) => MAKES_COMMIT.test(collectWords(input).join("\n")))) return true;
	}
	return false;
}

const SATURATION = 6;
/** Documents that hold two words together say more than the words apart. */
const PAIR_WEIGHT = 1.5;
const [MAX_WORDS, MAX_NAMES, MAX_KEYS] = [12, 32, 8];
const SPOKEN = ["user", "assistant"] as const;
const NAME = /[\p{L}_][\p{L}\p{N}_]{3,}/gu;
/** The key of an issue, as `ENT-242`. */
const ISSUE_KEY = /(?<![\p{L}\p{N}_-])[A-Z][A-Z\d]{1,9}-\d{1,7}(?![\p{L}\p{N}_-])/gu;

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

function issueKeysIn(text: string): readonly string[] {
	return [...new Set(text.match(ISSUE_KEY) ?? [])].slice(0, MAX_KEYS).map((key) => `"${key}"`);
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
