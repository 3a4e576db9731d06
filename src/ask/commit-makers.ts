/**
 * The session that made a commit. By its diff: the session whose recorded edits wrote the same lines, where a line that several
 * sessions wrote counts less. By its subject alone: the session in which the words of the subject are at home.
 */
import type { EventRecord } from "../log/event/types.ts";
import { textIn } from "../log/fold/state-fold.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import { isWithin } from "../log/search/filter.ts";
import type { SessionFilter } from "../log/search/types.ts";
import { termsOf } from "../state/memory/recall/terms.ts";
import { addedLines, removedLines } from "./diff-lines.ts";
import { fileEvents } from "./file-events.ts";
import { type SaidWords, wordsAround } from "./line-story.ts";

export interface CommitText {
	readonly subject: string;
	/** Unified; empty: only the subject is known. */
	readonly diff: string;
	/** ms since the epoch: what was done after it did not make it. */
	readonly ts?: number | undefined;
}

export interface CommitMaker {
	readonly session: string;
	readonly host: string;
	/** Between 0 and 1: the share of the commit's lines, or of its words, that speaks for the session. */
	readonly share: number;
	/** When the session made the last of the edits. */
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

/** The likeliest first. */
export function commitMakers(sources: CommitSources, commit: CommitText): readonly CommitMaker[] {
	const byDiff = commit.diff === "" ? [] : makersByDiff(sources, commit);
	return byDiff.length > 0 ? byDiff : makersBySubject(sources, commit);
}

const MIN_LINE_CHARS = 4;
const LONG_LINE_CHARS = 24;
const MAX_LINES = 600;
const MAX_SEARCHED_LINES = 24;
const SEARCHED_LINE_CHARS = 20;
const MAX_SEARCH_HITS = 40;
/** A removed line was written by anybody; a session that removed it says less. */
const REMOVED_WEIGHT = 0.5;

interface DiffLine {
	readonly path: string;
	readonly text: string;
	readonly sign: "+" | "-";
}

function makersByDiff(sources: CommitSources, commit: CommitText): readonly CommitMaker[] {
	const { diff, ts = Number.POSITIVE_INFINITY } = commit;
	const lines = diffLines(diff);
	const writers = new Map<DiffLine, Map<string, EventRecord>>();
	const evidence = new Map<string, SessionEvidence>();
	const byPath = Map.groupBy(lines, (line) => line.path);
	for (const [path, own] of byPath) {
		const touched = new Map<string, EventRecord>();
		for (const record of fileEvents(sources.log, path, sources)) {
			if (record.ts > ts || !isWithin(sources.within, record.session)) continue;
			touched.set(record.session, record);
			const change = textIn(record.payload, "diff") ?? "";
			const wrote = { "+": trimmed(addedLines(change)), "-": trimmed(removedLines(change)) };
			for (const line of own) if (wrote[line.sign].has(line.text)) note(writers, line, record);
		}
		for (const record of touched.values()) add(evidence, record, PATH_WEIGHT / byPath.size / touched.size);
	}
	const total = lines.reduce((sum, line) => sum + weightOf(line), 0);
	for (const line of lines) {
		const known = writers.get(line);
		for (const record of known?.values() ?? []) add(evidence, record, weightOf(line) / total / (known?.size ?? 1));
	}
	for (const { record, weight } of shownFirst(
		sources,
		lines.filter((line) => !writers.has(line)),
		ts,
	)) {
		add(evidence, record, (weight / total) * SHOWN_WEIGHT);
	}
	const words = new Map(makersBySubject(sources, commit).map(({ session, share }) => [session, share]));
	const best = Math.max(...words.values(), Number.MIN_VALUE);
	return [...evidence.values()]
		.map((each) => {
			const { session } = each.last;
			const active = isActiveAt(sources.log, session, ts) ? ACTIVE_WEIGHT : 0;
			return { ...each, share: each.weight + active + (SUBJECT_WEIGHT * (words.get(session) ?? 0)) / best };
		})
		.sort((one, other) => other.share - one.share || other.last.ts - one.last.ts)
		.slice(0, MAX_MAKERS)
		.map(({ share, last }) => ({
			session: last.session,
			host: last.host,
			share: Math.min(1, share),
			ts: last.ts,
			edit: handleOf(last),
			...wordsAround(sources.log, last),
		}));
}

/** Of the edits of the commit's files, and of the words of its subject, beside the lines themselves. */
const PATH_WEIGHT = 0.1;
const SUBJECT_WEIGHT = 0.15;
/** Of a line that no recorded edit wrote, for the session that showed it first. */
const SHOWN_WEIGHT = 0.5;

/** Of a session that was at work when the commit was made. */
const ACTIVE_WEIGHT = 0.2;
const ACTIVE_MS = 600_000;

function isActiveAt(log: Log, session: string, ts: number): boolean {
	if (!Number.isFinite(ts)) return false;
	for (const _near of log.read({ session, since: ts - ACTIVE_MS, until: ts + ACTIVE_MS, limit: 1 })) return true;
	return false;
}

interface SessionEvidence {
	weight: number;
	last: EventRecord;
}

function add(evidence: Map<string, SessionEvidence>, record: EventRecord, weight: number): void {
	const known = evidence.get(record.session) ?? { weight: 0, last: record };
	known.weight += weight;
	if (record.seq > known.last.seq) known.last = record;
	evidence.set(record.session, known);
}

/** A line that a command wrote is in the text of its call. Later sessions may write it again, or print it. */
function shownFirst(
	{ log, within }: CommitSources,
	lines: readonly DiffLine[],
	until: number,
): readonly { readonly record: EventRecord; readonly weight: number }[] {
	const telling = lines
		.filter(({ sign, text }) => sign === "+" && text.length >= SEARCHED_LINE_CHARS)
		.toSorted((one, other) => other.text.length - one.text.length)
		.slice(0, MAX_SEARCHED_LINES);
	return telling.flatMap((line) => {
		const text = `"${line.text.replaceAll('"', " ")}"`;
		const { hits } = log.search.find({
			text,
			role: "assistant",
			within,
			until: Number.isFinite(until) ? until : undefined,
			limit: MAX_SEARCH_HITS,
		});
		const [first] = hits.toSorted((one, other) => one.ts - other.ts);
		const record = first && log.get(first.seq);
		return record ? [{ record, weight: weightOf(line) }] : [];
	});
}

/** The newest of a session. */
function note(writers: Map<DiffLine, Map<string, EventRecord>>, line: DiffLine, record: EventRecord): void {
	const sessions = writers.get(line) ?? new Map<string, EventRecord>();
	sessions.set(record.session, record);
	writers.set(line, sessions);
}

function diffLines(diff: string): readonly DiffLine[] {
	const lines: DiffLine[] = [];
	const seen = new Set<string>();
	let path = "";
	for (const line of diff.split("\n")) {
		const named = /^(?:\+\+\+|---) (?:[ab]\/)?(.+?)\t?$/.exec(line)?.[1];
		if (named !== undefined) {
			if (named !== "/dev/null") path = named;
			continue;
		}
		const sign = line[0];
		const text = line.slice(1).trim();
		if ((sign !== "+" && sign !== "-") || text.length < MIN_LINE_CHARS || !/[\p{L}\p{N}]/u.test(text)) continue;
		const key = `${path} ${sign} ${text}`;
		if (seen.has(key) || lines.length === MAX_LINES) continue;
		seen.add(key);
		lines.push({ path, text, sign });
	}
	return lines;
}

function trimmed(lines: readonly string[]): ReadonlySet<string> {
	return new Set(lines.map((line) => line.trim()));
}

/** A short line is written by chance. */
function weightOf({ text, sign }: DiffLine): number {
	return Math.min(1, text.length / LONG_LINE_CHARS) * (sign === "+" ? 1 : REMOVED_WEIGHT);
}

const SATURATION = 6;
/** Documents that hold two words together say more than the words apart. */
const PAIR_WEIGHT = 1.5;
const MAX_WORDS = 12;
const SPOKEN = ["user", "assistant"] as const;

/** By how often a session says the words, where words that few sessions say count more. */
function makersBySubject(
	{ log, within }: CommitSources,
	{ subject, ts = Number.POSITIVE_INFINITY }: CommitText,
): readonly CommitMaker[] {
	const words = termsOf(subject).slice(0, MAX_WORDS);
	const pairs = words.flatMap((word, at) => words.slice(at + 1, at + 4).map((other) => `${word} ${other}`));
	const counts = (text: string) => {
		const sums = new Map<string, number>();
		for (const role of SPOKEN) {
			for (const [session, n] of log.search.countBySession(text, { role, within }))
				sums.set(session, (sums.get(session) ?? 0) + n);
		}
		return sums;
	};
	const all = [
		...words.map((word) => ({ word, weight: 1 })),
		...pairs.map((word) => ({ word, weight: PAIR_WEIGHT })),
	].map((each) => ({ ...each, found: counts(each.word) }));
	const sessions = new Set(all.flatMap(({ found }) => [...found.keys()]));
	const scores = new Map<string, number>();
	let total = 0;
	for (const { found, weight } of all) {
		const rarity = Math.log(1 + (sessions.size - found.size + 0.5) / (found.size + 0.5)) * weight;
		total += rarity;
		for (const [session, n] of found) scores.set(session, (scores.get(session) ?? 0) + (rarity * n) / (n + SATURATION));
	}
	return [...scores]
		.sort((one, other) => other[1] - one[1])
		.flatMap(([session, score]) => {
			for (const { host, ts: at } of log.read({ session, types: ["Message"], limit: 1 })) {
				if (at > ts) return [];
				return [{ session, host, share: total === 0 ? 0 : score / total, ts: at, edit: null, asked: null, said: null }];
			}
			return [];
		})
		.slice(0, MAX_MAKERS);
}
