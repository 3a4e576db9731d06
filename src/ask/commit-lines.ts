/**
 * What the lines of a commit say about each session. A session that wrote an added line speaks for itself, unless it had seen the line
 * before: then the commit was there already. One that wrote, removed or saw a removed line worked before the commit or on it.
 */
import type { EventRecord } from "../log/event/types.ts";
import { textIn } from "../log/fold/state-fold.ts";
import type { Log } from "../log/log.ts";
import { isWithin } from "../log/search/filter.ts";
import type { SessionFilter } from "../log/search/types.ts";
import { addedLines, removedLines } from "./diff-lines.ts";
import { fileEvents } from "./file-events.ts";

export interface DiffLine {
	readonly path: string;
	readonly text: string;
	readonly sign: "+" | "-";
}

/** Each a sum over lines, where a line that several sessions have counts less; together at most 1. */
export interface LineEvidence {
	/** Added lines that the session wrote. */
	wrote: number;
	/** Added lines that it saw before it wrote them, or only saw. */
	foundThere: number;
	/** Removed lines that it removed, that it wrote, and that it only saw. */
	removed: number;
	wroteRemoved: number;
	sawRemoved: number;
	/** Files of the commit that it changed. */
	touched: number;
	/** Its newest edit of them. */
	last: EventRecord | undefined;
}

export interface LineSourcesOfCommit {
	readonly log: Log;
	readonly within: SessionFilter;
	readonly root: string;
	readonly known: readonly string[];
}

const MIN_LINE_CHARS = 12;
const LONG_LINE_CHARS = 24;
/** The longest lines say most. A new file must not leave out all that the commit removed. */
const MAX_LINES = 40;
const MIN_REMOVED_LINES = 10;
const MAX_HITS = 40;
/** A removed line was written by anybody; a session that removed it says less. */
const REMOVED_WEIGHT = 0.5;

type LineEvidenceKind = "wrote" | "foundThere" | "removed" | "wroteRemoved" | "sawRemoved";

/** `until`: what came after the commit did not make it. */
export function lineEvidence(
	sources: LineSourcesOfCommit,
	diff: string,
	until: number,
): ReadonlyMap<string, LineEvidence> {
	const lines = tellingLines(diff);
	const evidence = new Map<string, LineEvidence>();
	const of = (session: string): LineEvidence => {
		const known = evidence.get(session) ?? { ...NOTHING };
		evidence.set(session, known);
		return known;
	};
	const paths = pathsIn(diff);
	const changes = new Map(paths.map((path) => [path, changesOf(sources, path, until)]));
	for (const records of changes.values()) {
		const touching = new Set(records.map(({ session }) => session));
		for (const record of records) {
			const own = of(record.session);
			if ((own.last?.seq ?? -1) < record.seq) own.last = record;
		}
		for (const session of touching) of(session).touched += 1 / paths.length / touching.size;
	}
	const olds = new Set(lines.flatMap(({ text, sign }) => (sign === "-" ? [text] : [])));
	const total = lines.reduce((sum, line) => sum + weightOf(line), 0);
	for (const line of lines) {
		const kinds = kindsOf(sources, line, { changes: changes.get(line.path) ?? [], olds, until });
		const counts = Map.groupBy(kinds.values(), (kind) => kind);
		for (const [session, kind] of kinds) of(session)[kind] += weightOf(line) / total / (counts.get(kind)?.length ?? 1);
	}
	return evidence;
}

const NOTHING: LineEvidence = {
	wrote: 0,
	foundThere: 0,
	removed: 0,
	wroteRemoved: 0,
	sawRemoved: 0,
	touched: 0,
	last: undefined,
};

interface LineMoments {
	/** seq of the first time that an edit of the session added it, removed it, that a tool showed it, that the agent said it. */
	added?: number;
	removed?: number;
	shown?: number;
	said?: number;
}

interface LineSearch {
	readonly changes: readonly EventRecord[];
	/** Lines that the commit removes. */
	readonly olds: ReadonlySet<string>;
	readonly until: number;
}

function kindsOf(
	{ log, within }: LineSourcesOfCommit,
	{ text, sign }: DiffLine,
	{ changes, olds, until }: LineSearch,
): ReadonlyMap<string, LineEvidenceKind> {
	const moments = new Map<string, LineMoments>();
	const note = (session: string, what: keyof LineMoments, seq: number) => {
		const known = moments.get(session) ?? {};
		known[what] = Math.min(known[what] ?? seq, seq);
		moments.set(session, known);
	};
	const replaced = new Set<string>();
	for (const { session, seq, payload } of changes) {
		const diff = textIn(payload, "diff") ?? "";
		if (addedLines(diff).some((each) => each.trim() === text)) {
			note(session, "added", seq);
			if (removedLines(diff).some((each) => olds.has(each.trim()))) replaced.add(session);
		}
		if (removedLines(diff).some((each) => each.trim() === text)) note(session, "removed", seq);
	}
	const before = Number.isFinite(until) ? until : undefined;
	const quoted = `"${text.replaceAll('"', " ")}"`;
	for (const { session, seq, role } of log.search.find({ text: quoted, within, until: before, limit: MAX_HITS }).hits)
		if (role === "toolResult" || role === "assistant") note(session, role === "assistant" ? "said" : "shown", seq);
	const kinds = new Map<string, LineEvidenceKind>();
	for (const [session, { added, removed, shown = Number.POSITIVE_INFINITY, said }] of moments) {
		// The agent's call comes before the edit, and the tool's answer may show it again.
		const wrote = added === undefined ? said : Math.min(added, said ?? added);
		// One that replaces lines by what it read elsewhere, such as in a manual, wrote it here.
		const isWriter = wrote !== undefined && (wrote <= shown || (added !== undefined && replaced.has(session)));
		if (sign === "+") {
			if (isWriter) kinds.set(session, "wrote");
			else if (Number.isFinite(shown)) kinds.set(session, "foundThere");
		} else if (removed !== undefined) kinds.set(session, "removed");
		else if (isWriter) kinds.set(session, "wroteRemoved");
		else if (Number.isFinite(shown)) kinds.set(session, "sawRemoved");
	}
	return kinds;
}

function changesOf(sources: LineSourcesOfCommit, path: string, until: number): readonly EventRecord[] {
	return fileEvents(sources.log, path, sources).filter(
		({ ts, session }) => ts <= until && isWithin(sources.within, session),
	);
}

export function pathsIn(diff: string): readonly string[] {
	return [...new Set([...linesOf(diff)].map(({ path }) => path))];
}

function tellingLines(diff: string): readonly DiffLine[] {
	const distinct = new Map([...linesOf(diff)].map((line) => [`${line.path} ${line.sign} ${line.text}`, line]));
	const all = [...distinct.values()];
	const long = all.filter(({ text }) => text.length >= MIN_LINE_CHARS);
	const sorted = (long.length > 0 ? long : all).toSorted((one, other) => other.text.length - one.text.length);
	const removed = sorted.filter(({ sign }) => sign === "-").slice(0, MIN_REMOVED_LINES);
	return [...removed, ...sorted.filter((line) => !removed.includes(line))].slice(0, MAX_LINES);
}

const MIN_CHARS = 4;

export function* linesOf(diff: string): Generator<DiffLine> {
	let path = "";
	for (const line of diff.split("\n")) {
		const named = /^(?:\+\+\+|---) (?:[ab]\/)?(.+?)\t?$/.exec(line)?.[1];
		if (named !== undefined) {
			if (named !== "/dev/null") path = named;
			continue;
		}
		const sign = line[0];
		const text = line.slice(1).trim();
		if ((sign === "+" || sign === "-") && text.length >= MIN_CHARS && /[\p{L}\p{N}]/u.test(text))
			yield { path, text, sign };
	}
}

/** A short line is written by chance. */
function weightOf({ text, sign }: DiffLine): number {
	return Math.min(1, text.length / LONG_LINE_CHARS) * (sign === "+" ? 1 : REMOVED_WEIGHT);
}
