/**
 * What a session did to files: one diff for each file, from before its first change to after its last one. Both texts are rebuilt from
 * the log, so the folder of the session is not needed. Where a text is not known, the recorded steps are given one by one.
 */
import { applyPatch, parsePatch, reversePatch } from "diff";
import { hunksBetween, writeDiff } from "../base/diff/unified.ts";
import { EngineError } from "../base/error/engine-error.ts";
import { plural } from "../base/text/bytes.ts";
import { oneLine } from "../base/text/printable.ts";
import type { Engine } from "../engine.ts";
import { renderCommand } from "../guard/rewind/request.ts";
import { type EventRecord, isA, type Payload } from "../log/event/types.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { withSideChains } from "../state/session/find-session.ts";
import { placeOf } from "../state/session/session-state.ts";
import { pathPrefix, projectPath } from "../state/work/project-path.ts";
import { RecordedFiles } from "../state/work/recorded-files.ts";
import { ConversationIndex } from "./conversation-index.ts";
import type { SessionRequests } from "./requests.ts";

/** The JSON of `weft diff`. */
export interface SessionDiff extends SessionRef {
	readonly files: readonly FileDiff[];
	/** The diffs as `git apply` takes them. Files outside the project are in it only if one is asked for. */
	readonly patch: string;
}

export interface FileDiff {
	readonly path: string;
	readonly kind: "created" | "changed" | "deleted";
	readonly added: number;
	readonly removed: number;
	/** How many changes were recorded. */
	readonly changes: number;
	/** Empty: no text of it is recorded, or nothing is left of the changes. */
	readonly diff: string;
	/** False: the diff is the recorded steps, because the whole text is not known. */
	readonly isWhole: boolean;
	/** The command that brings back the file as it was before its first change; null: no files were kept by then. */
	readonly rewind: string | null;
}

export interface SessionDiffOptions {
	/** Only what followed this prompt, from 1. */
	readonly run?: number | undefined;
	/** Only what came after this request, and up to the answer of that one. */
	readonly from?: number | undefined;
	readonly to?: number | undefined;
	/** A file as events name it, or a folder ending in "/". */
	readonly file?: string | undefined;
}

/** Before a file's first change, in order; null: there was no such file. */
interface SessionFileChange {
	readonly path: string;
	before: string | null | undefined;
	/** seq of the last event before the first change. */
	readonly rewindTo: number | undefined;
	readonly steps: Payload<"FileChanged">[];
}

const TYPES = ["SessionStarted", "Message", "FileChanged", "FilesKept"];

export function viewSessionDiff(
	engine: Engine,
	requests: SessionRequests,
	session: SessionRef,
	options: SessionDiffOptions = {},
): SessionDiff {
	const range = rangeOf(engine, requests, session, options);
	const isIn = ({ seq, ts, session: of }: EventRecord) =>
		of === session.session ? seq > range.after && seq <= range.upTo : ts >= range.since && ts < range.until;
	const records = recordsOf(engine, session);
	const namesIn = namer(engine, records);
	const changes = new Map<number, (EventRecord & { readonly payload: Payload<"FileChanged"> })[]>();
	for (const record of records) {
		if (!isA(record, "FileChanged") || record.payload.actor === "other" || !isIn(record)) continue;
		const at = record.cause ?? record.seq;
		changes.set(at, [...(changes.get(at) ?? []), record]);
	}
	const files = new Map<string, SessionFileChange>();
	const known = new RecordedFiles();
	const ends = new Map<string, string | null | undefined>();
	const moments = new Map<string, number>();
	for (const record of records) {
		noteMoment(moments, record);
		const due = changes.get(record.seq) ?? [];
		const before = new Map(due.map((change) => [change, textOf(known, namesIn(change))]));
		known.apply(record);
		for (const change of due) {
			const path = namesIn(change);
			const after = textOf(known, path);
			const file = files.get(path) ?? {
				path,
				before: beforeOf(change.payload, before.get(change), after),
				rewindTo: moments.get(change.session),
				steps: [],
			};
			files.set(path, file);
			file.steps.push(change.payload);
			ends.set(path, change.payload.kind === "delete" ? null : after);
		}
	}
	const wanted = [...files.values()].filter(({ path }) => isWanted(path, options.file));
	// Notes and scratch files of the agent are elsewhere: nobody looks for them first.
	const shown = [...wanted.filter((file) => !isOutside(file)), ...wanted.filter(isOutside)];
	const diffs = shown.map((file) => diffOf(file, ends.get(file.path)));
	// git would make their folders inside the project.
	const patched = options.file === undefined ? diffs.filter((file) => !isOutside(file)) : diffs;
	return { ...session, files: diffs, patch: patched.map(({ diff }) => diff).join("") };
}

function isOutside({ path }: { readonly path: string }): boolean {
	return /^(?:[/~]|[a-z]:)/i.test(path);
}

/** The newest moment of each session before its next tool call. There is none until files were kept. */
function noteMoment(moments: Map<string, number>, { type, seq, session, payload }: EventRecord): void {
	const isCall = type === "Message" && payload["role"] === "assistant";
	if (type === "FilesKept" || (isCall && moments.has(session))) moments.set(session, seq);
}

/** Of the session and its sub-agents, in the order of the log. */
function recordsOf({ log }: Engine, { session }: SessionRef): EventRecord[] {
	const sessions = withSideChains(log, session);
	return sessions
		.flatMap((each) => [...log.read({ session: each, types: TYPES })])
		.sort((one, other) => one.seq - other.seq);
}

/** Files as the project names them. */
function namer({ log }: Engine, records: readonly EventRecord[]): (change: EventRecord) => string {
	const prefixes = new Map<string, string>();
	for (const { session, host } of records) {
		if (prefixes.has(session)) continue;
		const { cwd, root } = placeOf(log, { session, host });
		prefixes.set(session, pathPrefix(cwd, root || undefined));
	}
	return ({ session, payload }) => projectPath(String(payload["path"]), prefixes.get(session) ?? "");
}

interface EventSpan {
	readonly after: number;
	readonly upTo: number;
	/** For sub-agents, whose events may be elsewhere in the log. */
	readonly since: number;
	readonly until: number;
}

const ALL: EventSpan = { after: 0, upTo: Number.MAX_SAFE_INTEGER, since: 0, until: Number.MAX_SAFE_INTEGER };

function rangeOf(
	engine: Engine,
	requests: SessionRequests,
	session: SessionRef,
	{ run, from, to }: SessionDiffOptions,
): EventSpan {
	const timeAt = (seq: number, fallback: number) => engine.log.get(seq)?.ts ?? fallback;
	if (run !== undefined) {
		const prompts = new ConversationIndex(engine, session)
			.items()
			.flatMap((item) => (item.kind === "message" && item.isPrompt ? [item.entry.seq] : []));
		const [first, next] = [prompts[run - 1], prompts[run]];
		if (first === undefined)
			throw new EngineError(
				"not-found",
				`There is no run ${run}: the session has ${plural(prompts.length, "prompt")}.`,
			);
		if (next === undefined) return { ...ALL, after: first - 1, since: timeAt(first, 0) };
		return { after: first - 1, upTo: next - 1, since: timeAt(first, 0), until: timeAt(next, ALL.until) };
	}
	if (from === undefined && to === undefined) return ALL;
	const rows = requests.rows();
	for (const n of [from, to])
		if (n !== undefined && (n < 1 || n > rows.length))
			throw new EngineError(
				"not-found",
				`There is no request ${n}: the session has ${plural(rows.length, "request")}.`,
			);
	if (from !== undefined && to !== undefined && from > to)
		throw new EngineError("usage", "--from must not be after --to.");
	// The tools of an answer run before the next request.
	const start = from === undefined ? undefined : rows[from];
	const end = to === undefined ? undefined : rows[to];
	if (from !== undefined && !start) return { ...ALL, after: ALL.upTo, since: ALL.until };
	return {
		after: start ? start.seq - 1 : 0,
		upTo: end ? end.seq - 1 : ALL.upTo,
		since: start?.ts ?? 0,
		until: end?.ts ?? ALL.until,
	};
}

/** Null: there is no file; undefined: its text is not known. */
function textOf(files: RecordedFiles, path: string): string | null | undefined {
	const content = files.read(path);
	return content.kind === "text" ? content.text : content.kind === "deleted" ? null : undefined;
}

function beforeOf(
	{ diff = "", kind }: Payload<"FileChanged">,
	known: string | null | undefined,
	after: string | null | undefined,
): string | null | undefined {
	if (/^--- \/dev\/null$/m.test(diff)) return null;
	if (known !== undefined) return known;
	const [patch] = diff === "" || typeof after !== "string" || kind === "delete" ? [] : parsePatch(diff);
	const undone = patch && applyPatch(after ?? "", reversePatch(patch));
	return typeof undone === "string" ? undone : undefined;
}

function diffOf({ path, before, rewindTo, steps }: SessionFileChange, after: string | null | undefined): FileDiff {
	const changes = steps.length;
	const rewind = rewindTo === undefined ? null : renderCommand({ files: [path], to: String(rewindTo) });
	const kind = after === null ? "deleted" : before === null ? "created" : "changed";
	const isKnown = before !== undefined && after !== undefined;
	const hunks = isKnown ? hunksBetween(before ?? "", after ?? "") : undefined;
	if (hunks) {
		const word = kind === "created" ? "create" : kind === "deleted" ? "delete" : "change";
		const { added, removed, diff = "" } = writeDiff(path, hunks, word);
		if (diff !== "" || hunks.length === 0) return { path, kind, added, removed, changes, diff, isWhole: true, rewind };
	}
	return {
		path,
		kind,
		added: steps.reduce((sum, step) => sum + step.added, 0),
		removed: steps.reduce((sum, step) => sum + (step.removed ?? 0), 0),
		changes,
		diff: steps.map(({ diff = "" }) => (diff === "" || diff.endsWith("\n") ? diff : `${diff}\n`)).join(""),
		isWhole: false,
		rewind,
	};
}

function isWanted(path: string, file: string | undefined): boolean {
	return file === undefined || path === file || (file.endsWith("/") && path.startsWith(file));
}

/** One line for each file. */
export function* renderDiffStat({ files }: SessionDiff): Generator<string> {
	const width = files.reduce((most, { path }) => Math.max(most, oneLine(path).length), 0);
	for (const { path, kind, added, removed, changes, diff, isWhole } of files) {
		const text = diff !== "" ? "" : isWhole ? ", nothing is left of them" : ", no text recorded";
		yield `${oneLine(path).padEnd(width)}  ${kind}  +${added} −${removed}  ${plural(changes, "change")}${text}`;
	}
	if (files.length === 0) yield "No file was changed.";
}

export function* diffRemarks({ files, patch }: SessionDiff): Generator<string> {
	const outside = files.filter((file) => isOutside(file) && file.diff !== "" && !patch.includes(file.diff));
	const steps = files.filter(({ isWhole, diff }) => !isWhole && diff !== "");
	const without = files.filter(({ isWhole, diff }) => !isWhole && diff === "");
	if (files.length === 0) yield "No file was changed.";
	if (steps.length > 0)
		yield `Step by step, because the log does not have the whole text; 'git apply' may refuse it: ${someOf(steps)}`;
	if (outside.length > 0) yield `Outside the project, so not in the patch; --file PATH prints one: ${someOf(outside)}`;
	if (without.length > 0) yield `Changed, but no text is recorded: ${someOf(without)}`;
}

const MAX_NAMES = 5;

function someOf(files: readonly FileDiff[]): string {
	const more = files.length > MAX_NAMES ? ` and ${files.length - MAX_NAMES} more` : "";
	return (
		files
			.slice(0, MAX_NAMES)
			.map(({ path }) => oneLine(path))
			.join(", ") + more
	);
}
