/** The files that changed: in a span of time, in a session, by an agent. */
import { formatDay } from "../base/text/time.ts";
import type { EventRecord } from "../log/event/types.ts";
import { numberIn, textIn } from "../log/fold/state-fold.ts";
import { handleOf } from "../log/handle.ts";
import { isWithin } from "../log/search/filter.ts";
import type { NarrowedQuestion } from "./narrowed-question.ts";
import { type Place, subjectFirst } from "./session-threads.ts";
import type { AnswerLine, FoundSection } from "./types.ts";

const MAX_EVENTS = 3_000;
const MAX_FILES = 80;
const DAY_MS = 86_400_000;

interface ChangedFile {
	readonly path: string;
	changes: number;
	added: number;
	removed: number;
	kind: string;
	readonly hosts: Set<string>;
	last: EventRecord;
}

/** Where nothing changed in the span: the last day before it on which something did. */
export function changedSection(question: NarrowedQuestion, places: readonly Place[]): FoundSection {
	const { sources, span, nearest, isNamed } = question;
	const asked = span ? changes(question, span) : sessionChanges(question, places);
	if (asked.length > 0) return { title: titleOf(question, asked), share: 0.6, lines: asked.map(lineOf) };
	const before = span ? lastBefore(question, span.since) : undefined;
	if (!span || !before) return { title: "Changed files", share: 0.1, lines: [], isAnswer: false };
	const day = formatDay(before.ts);
	const start = new Date(`${day}T00:00`).getTime();
	const then = changes({ ...question, sources, nearest, isNamed }, { since: start, until: start + DAY_MS });
	return {
		title: `No recorded change ${span.words}. The last before it were on ${day}`,
		share: 0.6,
		lines: then.map(lineOf),
	};
}

function titleOf({ span, reading }: NarrowedQuestion, files: readonly ChangedFile[]): string {
	const when =
		span === undefined
			? ""
			: span.words === "the given span"
				? " in the given span"
				: ` (${span.words}: ${formatDay(span.since)}${span.until - span.since > DAY_MS * 1.1 ? ` to ${formatDay(span.until - 1)}` : ""})`;
	const where =
		reading.place && reading.aims.has("files") && reading.place.path.endsWith("/")
			? ` under ${reading.place.path}`
			: "";
	return `Changed files${where}${when}, ${files.length} in all, the newest first`;
}

/** Without a span: of the session that worked on the subject and changed any, else of the nearest one. */
function sessionChanges(question: NarrowedQuestion, places: readonly Place[]): readonly ChangedFile[] {
	for (const { session } of subjectFirst(question.nearest, places, (each) => each.session)) {
		const found = changes(question, { session });
		if (found.length > 0) return found;
	}
	return [];
}

interface ChangeQuery {
	readonly since?: number | undefined;
	readonly until?: number | undefined;
	readonly session?: string | undefined;
}

function changes({ sources: { log }, within, reading }: NarrowedQuestion, query: ChangeQuery): readonly ChangedFile[] {
	const files = new Map<string, ChangedFile>();
	const folder = reading.place?.path;
	for (const record of log.read({ ...query, types: ["FileChanged"], order: "newest", limit: MAX_EVENTS })) {
		const { payload, host, session } = record;
		const path = textIn(payload, "path");
		if (path === null || !isWithin(within, session)) continue;
		if (folder !== undefined && !isUnder(path, folder)) continue;
		const file = files.get(path) ?? {
			path,
			changes: 0,
			added: 0,
			removed: 0,
			kind: textIn(payload, "kind") ?? "edit",
			hosts: new Set<string>(),
			last: record,
		};
		// Imported history enters a log in any order.
		if (record.ts > file.last.ts) file.last = record;
		file.changes++;
		file.added += numberIn(payload, "added") ?? 0;
		file.removed += numberIn(payload, "removed") ?? 0;
		file.hosts.add(textIn(payload, "actor") === "other" ? "somebody else" : host);
		files.set(path, file);
	}
	return [...files.values()].sort((a, b) => b.last.ts - a.last.ts).slice(0, MAX_FILES);
}

function isUnder(path: string, folder: string): boolean {
	const name = folder.replace(/\/+$/, "");
	return path === name || path.startsWith(`${name}/`) || path.endsWith(`/${name}`) || path.includes(`/${name}/`);
}

function lastBefore({ sources: { log }, within }: NarrowedQuestion, until: number): EventRecord | undefined {
	let last: EventRecord | undefined;
	for (const record of log.read({ types: ["FileChanged"], until, order: "newest", limit: MAX_EVENTS })) {
		if (isWithin(within, record.session) && record.ts > (last?.ts ?? Number.NEGATIVE_INFINITY)) last = record;
	}
	return last;
}

function lineOf({ path, changes: count, added, removed, kind, hosts, last }: ChangedFile): AnswerLine {
	const what = kind === "delete" ? "deleted" : `+${added}/-${removed}`;
	const times = count === 1 ? "" : ` in ${count} changes`;
	return {
		text: `${path} ${what}${times}, by ${[...hosts].join(" and ")}`,
		handle: handleOf(last),
		session: last.session,
		ts: last.ts,
	};
}
