/**
 * Which files matter now? Scores them by how recently they were read and changed, how often they changed, and whether the
 * request or an open failure names them. Pure: only the order of events counts, not the clock.
 */

import { getKey, getRecent } from "../../log/fold/keyed.ts";
import type { FileState } from "./file-fold.ts";
import { baseName } from "./project-path.ts";
import type { WorkState } from "./work-state.ts";

export const WORKING_SET_FILES = 8;

export interface ScoredFile {
	readonly file: FileState;
	readonly score: number;
	/** The reasons for its score, in words. */
	readonly why: readonly string[];
}

/** After this many events a read or a change counts half. */
const HALF_LIFE_EVENTS = 100;
const WEIGHT = { changed: 4, read: 3, perChange: 0.3, mostChanges: 6, intent: 3, failure: 3, gone: 0.25 } as const;

/** All recent files, the best first. */
export function scoreFiles(state: WorkState, session: string | null): ScoredFile[] {
	const { files, recent } = state.files;
	const candidates = recent.map((path) => getKey(files, path)).filter((file) => file !== undefined);
	const newest = candidates.reduce((seq, file) => Math.max(seq, lastSeq(file)), 0);
	const intent = session === null ? undefined : getRecent(state.intent.sessions, session)?.current;
	const asked = mentionsIn(intent?.text ?? "");
	const failing = mentionsIn(state.failures.failures.open.map(wordsOf).join(" "));
	return candidates
		.map((file) => scoreFile(file, newest, mentionOf(file.path, asked), mentionOf(file.path, failing)))
		.sort((one, other) => other.score - one.score || lastSeq(other.file) - lastSeq(one.file) || byName(one, other));
}

function scoreFile(file: FileState, newest: number, asked: number, failing: number): ScoredFile {
	const why: string[] = [];
	let score = 0;
	if (file.lastChangeSeq > 0) {
		score += WEIGHT.changed * fresh(newest - file.lastChangeSeq);
		score += WEIGHT.perChange * Math.min(file.changes, WEIGHT.mostChanges);
		why.push(`changed ${times(file.changes)}, last at #${file.lastChangeSeq}`);
	}
	if (file.lastReadSeq > 0) {
		score += WEIGHT.read * fresh(newest - file.lastReadSeq);
		why.push(`read ${times(file.reads)}, last at #${file.lastReadSeq}`);
	}
	if (asked > 0) why.push("named in the request");
	if (failing > 0) why.push("named in an open failure");
	score += WEIGHT.intent * asked + WEIGHT.failure * failing;
	if (file.deleted) {
		score *= WEIGHT.gone;
		why.push("deleted");
	}
	return { file, score: Math.round(score * 1000) / 1000, why };
}

function fresh(events: number): number {
	return 0.5 ** (events / HALF_LIFE_EVENTS);
}

function lastSeq(file: FileState): number {
	return Math.max(file.lastReadSeq, file.lastChangeSeq);
}

function wordsOf(failure: {
	readonly file: string | null;
	readonly unit: string | null;
	readonly message: string;
}): string {
	return `${failure.file ?? ""} ${failure.unit ?? ""} ${failure.message}`;
}

function times(count: number): string {
	return count === 1 ? "once" : `${count} times`;
}

function byName(one: ScoredFile, other: ScoredFile): number {
	return one.file.path < other.file.path ? -1 : 1;
}

const MAX_WORDS = 400;
const MIN_STEM_CHARS = 4;

type Mentions = ReadonlySet<string>;

/** Words of a text that may name files. */
export function mentionsIn(text: string): Mentions {
	const words = new Set<string>();
	for (const word of text.split(/[^\p{L}\p{N}_./@+~-]+/u)) {
		const name = word.replace(/^\.\//, "").replace(/[.:-]+$/, "");
		if (name.length >= 2 && words.size < MAX_WORDS) words.add(name);
	}
	return words;
}

/** How clearly the words name the path: 1, 0.5 or 0. */
export function mentionOf(path: string, words: Mentions): number {
	if (words.size === 0) return 0;
	const name = baseName(path);
	if (words.has(path) || words.has(name)) return 1;
	for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
		if (words.has(path.slice(at + 1))) return 1;
	for (const word of words) if (word.includes("/") && word.endsWith(`/${path}`)) return 1;
	const stem = name.replace(/(?<=.)\.[^.]+$/, "");
	return stem.length >= MIN_STEM_CHARS && words.has(stem) ? 0.5 : 0;
}
