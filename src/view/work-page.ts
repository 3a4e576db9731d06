/** The state of the work for the inspector, with the freshness of each working-set file, and each block with its diff and outcome. */
import type { Engine } from "../engine.ts";
import { isA } from "../log/event/types.ts";
import { logOf } from "../log/fold/partial-log.ts";
import { handleOf } from "../log/handle.ts";
import { scopeOf } from "../state/session/find-session.ts";
import { type FileView, viewFile } from "../state/work/excerpt.ts";
import { diskFiles } from "../state/work/file-source.ts";
import { recordedFiles } from "../state/work/recorded-files.ts";
import { gist } from "./event-gist.ts";
import { type StateView, viewState } from "./state.ts";

export interface FreshFile {
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

/** Of now: the disk of a moment that has passed is gone. */
export function viewWork(engine: Engine, session: string | undefined): WorkView {
	const state = viewState(engine.state(), session, diskFiles(engine.project.root));
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
