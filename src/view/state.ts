/** The state of the work, as one document of a stable shape and as lines. Pure. */
import { formatCount, plural } from "../base/text/bytes.ts";
import { cutToWidth } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatDuration, shortAge } from "../base/text/time.ts";
import { type ProjectState, projectState } from "../context/project-state.ts";
import { failureHeading } from "../context/section/failures.ts";
import type { Engine } from "../engine.ts";
import { isA } from "../log/event/types.ts";
import { getRecent, newestFirst, type Recent } from "../log/fold/keyed.ts";
import { logOf } from "../log/fold/partial-log.ts";
import type { StateAt, StateLog } from "../log/fold/state-runner.ts";
import { handleOf } from "../log/handle.ts";
import { scopeOf } from "../state/session/find-session.ts";
import type { SessionInfo } from "../state/work/current-session-fold.ts";
import type { DecisionState } from "../state/work/decision-fold.ts";
import { type FileView, viewFile } from "../state/work/excerpt.ts";
import { whatFailed } from "../state/work/failure/lifecycle.ts";
import type { Failure } from "../state/work/failure/types.ts";
import type { FileState } from "../state/work/file-fold.ts";
import { diskFiles, type FileSource } from "../state/work/file-source.ts";
import type { SessionIntent } from "../state/work/intent-fold.ts";
import { type ToolLatency, typicalMs } from "../state/work/latency-fold.ts";
import type { SessionProgress } from "../state/work/progress.ts";
import { recordedFiles } from "../state/work/recorded-files.ts";
import type { RepoNote } from "../state/work/repo-fold.ts";
import { type WholeLog, wholeLog } from "../state/work/whole-log.ts";
import { scoreFiles, WORKING_SET_FILES } from "../state/work/working-set.ts";
import { gist } from "./event-gist.ts";
import { renderPairs, type TextStyle } from "./text-style.ts";

const MAX_LISTED = 20;
const MAX_COLUMNS = 160;

export interface StateView {
	/** The newest event that it includes. */
	readonly seq: number;
	/** False: older events were pruned and are missing. */
	readonly complete: boolean;
	/** Events of types that this version does not know. */
	readonly unknown: number;
	/** Malformed or lost events; `weft verify` names them. */
	readonly malformed: number;
	/** The session whose intent and progress are shown. */
	readonly session: SessionInfo | null;
	/** Freshest first. */
	readonly sessions: readonly SessionInfo[];
	readonly repo: RepoNote | null;
	readonly intent: SessionIntent | null;
	readonly workingSet: readonly { readonly path: string; readonly score: number; readonly why: readonly string[] }[];
	/** Working-set files whose text on disk differs from what was last read or written. */
	readonly stale: readonly string[];
	/** Every file that a tool read or changed, by path. */
	readonly files: readonly FileState[];
	readonly failures: { readonly open: readonly Failure[]; readonly resolved: readonly Failure[] };
	readonly decisions: DecisionState;
	readonly verdicts: ProjectState["verdicts"]["recent"];
	readonly progress: SessionProgress | null;
	readonly latency: readonly ({ readonly tool: string; readonly typicalMs: number } & Omit<ToolLatency, "recentMs">)[];
}

/** `disk`: the files as they are now; omitted for a past moment. */
export function viewState(
	{ seq, complete, unknown, malformed, state }: StateAt<ProjectState>,
	chosen?: string,
	disk?: FileSource,
): StateView {
	const session = chosen ?? state.sessions.current;
	const of = <Value>(map: Recent<Value>): Value | null => (session === null ? null : (getRecent(map, session) ?? null));
	const { open, resolved } = state.failures.failures;
	const workingSet = scoreFiles(state, session).slice(0, WORKING_SET_FILES);
	return {
		seq,
		complete,
		unknown,
		malformed,
		session: of(state.sessions.sessions),
		sessions: [...newestFirst(state.sessions.sessions)].map(([, info]) => info),
		repo: state.repo.map,
		intent: of(state.intent.sessions),
		workingSet: workingSet.map(({ file, score, why }) => ({ path: file.path, score, why })),
		stale: disk
			? workingSet.filter(({ file }) => viewFile(file, disk).status === "stale").map(({ file }) => file.path)
			: [],
		files: Object.values(state.files.files).sort((one, other) => (one.path < other.path ? -1 : 1)),
		failures: { open, resolved },
		decisions: state.decisions,
		verdicts: state.verdicts.recent,
		progress: of(state.progress.sessions),
		latency: [...newestFirst(state.latency.tools)]
			.map(([tool, known]) => {
				const { recentMs: _, ...counts } = known;
				return { tool, typicalMs: typicalMs(known), ...counts };
			})
			.sort((one, other) => other.totalMs - one.totalMs || (one.tool < other.tool ? -1 : 1)),
	};
}

interface RenderStateOptions {
	readonly now: number;
	/** The command that shows everything. */
	readonly all: string;
}

export function* renderState(view: StateView, style: TextStyle, options: RenderStateOptions): Generator<string> {
	const page: StatePage = { ...options, style };
	yield* renderHead(view, style);
	yield* renderWorkingSet(view, page);
	yield* renderFailures(view.failures, page);
	yield* renderList(page, "Decisions", view.decisions.active, ({ handle, text, rationale }) => [
		cut(page, `  ${handle} ${text}${rationale === null ? "" : ` (${rationale})`}`),
	]);
	if (view.verdicts.length > 0) {
		yield* renderList(page, "Verdicts", view.verdicts, ({ verdict, rule, path, reason, ts }) => [
			cut(page, `  ${verdict} ${rule} ${path ?? ""} (${shortAge(ts, page.now)}): ${reason}`),
		]);
	}
	if (view.progress) yield* renderProgress(view.progress, page);
	yield* renderLatency(view.latency, page);
}

interface StatePage extends RenderStateOptions {
	readonly style: TextStyle;
}

function heading({ style }: StatePage, title: string): string[] {
	return ["", style.paint("bold", title)];
}

/** Keeps the indent. */
function cut({ style }: StatePage, text: string): string {
	const indent = text.length - text.trimStart().length;
	return " ".repeat(indent) + cutToWidth(oneLine(text), (style.columns ?? MAX_COLUMNS) - indent);
}

/** The newest first. */
function* renderList<Item>(
	page: StatePage,
	title: string,
	items: readonly Item[],
	lines: (item: Item) => readonly string[],
): Generator<string> {
	yield* heading(page, `${title} (${items.length})`);
	for (const item of items.toReversed().slice(0, MAX_LISTED)) yield* lines(item);
	if (items.length > MAX_LISTED) yield `  … ${formatCount(items.length - MAX_LISTED)} more: ${page.all}`;
}

function renderHead(view: StateView, style: TextStyle): string[] {
	const { session, repo, intent } = view;
	const unknown = view.unknown > 0 ? `, ${plural(view.unknown, "unknown event")} skipped` : "";
	const malformed = view.malformed > 0 ? `, ${plural(view.malformed, "malformed event")} skipped` : "";
	const where = session && `${session.session} (${session.host}) in ${session.cwd ?? "an unknown folder"}`;
	const map = repo && `${repo.head?.slice(0, 10) ?? "no commit"}, ${plural(repo.files, "file")}`;
	const pairs = [
		["event", formatCount(view.seq) + unknown + malformed],
		["session", where ?? "none"],
		["repository", map ?? "no map yet: weft repo"],
		["intent", intent ? intent.current.text : "none given yet"],
	] as const;
	return renderPairs(
		style,
		pairs.map(([name, value]) => [name, oneLine(value)]),
		{ shrink: true },
	);
}

function* renderWorkingSet(view: StateView, page: StatePage): Generator<string> {
	yield* heading(page, `Working set (${view.workingSet.length} of ${plural(view.files.length, "file")})`);
	const byPath = new Map(view.files.map((file) => [file.path, file]));
	for (const { path, score, why } of view.workingSet) {
		const file = byPath.get(path);
		const differs = view.stale.includes(path) ? ", the disk differs" : "";
		yield cut(page, `  ${path}`);
		if (file) yield cut(page, `    ${fileNotes(file, page.now)}${differs}`);
		yield page.style.paint("dim", cut(page, `    score ${score.toFixed(2)}: ${why.join("; ")}`));
	}
}

/** The hex digits that tell two failures of one command apart: a reader has the failure itself. */
const FINGERPRINT = /:[0-9a-f]{8}(?= )/;

function* renderFailures({ open, resolved }: StateView["failures"], page: StatePage): Generator<string> {
	const line = (failure: Failure): string => cut(page, `  ${oneLine(whatFailed(failure))}`);
	const detail = (failure: Failure): string =>
		page.style.paint("dim", cut(page, `    ${failureHeading(failure, MAX_COLUMNS).replace(FINGERPRINT, "")}`));
	yield* renderList(page, "Open failures", open, (failure) => [line(failure), detail(failure)]);
	if (resolved.length > 0) yield* renderList(page, "Recently resolved", resolved, (failure) => [line(failure)]);
}

function* renderProgress(progress: SessionProgress, page: StatePage): Generator<string> {
	const since = progress.sinceIntent;
	yield* heading(page, "Progress");
	yield `  ${plural(progress.turns, "turn")} in the session, ${since.turns} since the intent`;
	yield `  ${plural(progress.commands, "command")}, ${progress.failedCommands} failed; since the intent ${since.commands}, ${since.failedCommands} failed`;
	yield cut(
		page,
		`  changed since the intent: +${since.added}/-${since.removed} lines in ${plural(since.files.length, "file")} ${since.files.join(", ")}`,
	);
}

function* renderLatency(latency: StateView["latency"], page: StatePage): Generator<string> {
	if (latency.length === 0) return;
	yield* heading(page, "Latency");
	for (const tool of latency.slice(0, MAX_LISTED)) {
		yield `  ${oneLine(tool.tool)}: usually ${formatDuration(tool.typicalMs)}, at most ${formatDuration(tool.maxMs)}, ${plural(tool.calls, "call")}`;
	}
}

function fileNotes(file: FileState, now: number): string {
	const notes = [
		file.lastReadSeq > 0 ? `read ${shortAge(file.lastReadTs, now)}` : "",
		file.lastChangeSeq > 0 ? `changed ${shortAge(file.lastChangeTs, now)} (+${file.added}/-${file.removed})` : "",
		file.deleted ? "deleted" : "",
	];
	return notes.filter((note) => note !== "").join(", ");
}

interface FreshFile {
	readonly path: string;
	readonly status: FileView["status"];
	readonly remark: string | null;
	/** For a stale file: a unified diff from the log's text to the disk's. */
	readonly diff: readonly string[];
}

export interface BlockView {
	readonly handle: string;
	readonly seq: number;
	readonly ts: number;
	readonly verdict: "block" | "warn";
	readonly rule: string;
	readonly tool: string;
	readonly path: string | null;
	/** The words for the model, whole. */
	readonly reason: string;
	/** The next thing that happened to the file; null: nothing yet. */
	readonly outcome: { readonly handle: string; readonly type: string; readonly what: string } | null;
}

export interface WorkView extends StateView {
	/** The working set compared with the disk. */
	readonly freshness: readonly FreshFile[];
	/** The newest first. */
	readonly blocks: readonly BlockView[];
}

const MAX_BLOCKS = 20;

/** Folds the events of one session alone. Decisions, the repository and the list of sessions stay the project's. */
export function stateOfSession(
	{ seq, state }: Pick<StateAt<ProjectState>, "seq" | "state">,
	log: WholeLog,
	session: string | undefined,
): ProjectState {
	if (session === undefined) return state;
	const own: WholeLog & StateLog = { ...log, recalled: log.recalled, read: (query) => log.read({ ...query, session }) };
	const { decisions, repo, sessions } = state;
	return { ...projectState(own, { snapshots: false }).at(seq).state, decisions, repo, sessions };
}

/** The state of one session's work; without a session that of the project. */
export function workOf(engine: Engine, session: string | undefined): ProjectState {
	return stateOfSession(engine.state(), wholeLog(engine.log), session);
}

/**
 * The state of the work for the inspector, with the freshness of each working-set file, and each block with its diff
 * and outcome. Of now: the disk of a moment that has passed is gone.
 */
export function viewWork(
	engine: Engine,
	session: string | undefined,
	own: ProjectState = workOf(engine, session),
): WorkView {
	const found = engine.state();
	const state = viewState({ ...found, state: own }, session, diskFiles(engine.project.root));
	return { ...state, ...besideState(engine, state, session) };
}

export function besideState(
	engine: Engine,
	state: StateView,
	session: string | undefined,
): Pick<WorkView, "freshness" | "blocks"> {
	const { log, project } = engine;
	const disk = diskFiles(project.root);
	const files = new Map(state.files.map((file) => [file.path, file]));
	const known = knownOnce(engine, session);
	const freshness = state.workingSet.flatMap(({ path }): FreshFile[] => {
		const file = files.get(path);
		if (!file) return [];
		const { status, remark, diff } = viewFile(file, disk);
		// A session of another machine, or of a folder that is gone, did not delete its files.
		if (status === "deleted" && !file.deleted)
			return [{ path, status: "unavailable", remark: "not on this disk", diff }];
		if (status !== "stale") return [{ path, status, remark, diff }];
		// The log's text is read from the messages, so only where it is needed.
		const told = viewFile(file, disk, known());
		return [{ path, status, remark: told.remark, diff: told.diff }];
	});
	const blocks = state.verdicts
		.filter((verdict) => session === undefined || verdict.session === session)
		.slice(-MAX_BLOCKS)
		.toReversed()
		.map(({ handle, seq, ts, verdict, rule, tool, path, reason }) => {
			const record = log.get(seq);
			const whole = record && isA(record, "Verdict") ? record.payload.reason : reason;
			return { handle, seq, ts, verdict, rule, tool, path, reason: whole, outcome: nextOf(engine, seq, path) };
		});
	return { freshness, blocks };
}

function knownOnce({ log }: Engine, session: string | undefined) {
	let known: ReturnType<typeof recordedFiles> | undefined;
	return () => {
		known ??= recordedFiles(session === undefined ? log : logOf(log, scopeOf(log, session)), log.newestSeq());
		return known;
	};
}

function nextOf({ log }: Engine, seq: number, path: string | null): BlockView["outcome"] {
	if (path === null) return null;
	for (const record of log.read({ file: path, types: ["FileChanged", "FileRead"], after: seq, limit: 1 })) {
		return { handle: handleOf(record), type: record.type, what: gist(record) };
	}
	return null;
}
