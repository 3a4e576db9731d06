/** The thread of a replay: posts its progress, each mode when it is done, and the report at the end. */

import { parentPort, workerData } from "node:worker_threads";
import { errorText } from "../../../base/error/error-text.ts";
import type { Profile } from "../../../context/seal/rule.ts";
import { openEngine } from "../../../engine.ts";
import type { ModeReport } from "../../../replay/mode-report.ts";
import { openRecording, openSession, type Recording } from "../../../replay/recording.ts";
import { type ReplayReport, replaySession } from "../../../replay/report.ts";
import { ROWS, type RowName } from "../../../replay/requests.ts";
import { replaySaving } from "../../../replay/session-saving.ts";
import { findSession, listSessions } from "../../../state/session/find-session.ts";
import type { SessionSaving } from "../../../view/saving.ts";

export type ReplayTask =
	| { readonly kind: "file"; readonly path: string }
	| { readonly kind: "session"; readonly root: string; readonly home: string; readonly session: string }
	| SavingTask;

/** What weft would have saved in a session. */
export interface SavingTask {
	readonly kind: "saving";
	readonly root: string;
	readonly home: string;
	readonly session: string;
	readonly host: string;
}

export type ReplayMessage =
	| {
			readonly kind: "progress";
			readonly progress: { readonly what: string; readonly done: number; readonly total: number };
	  }
	| { readonly kind: "mode"; readonly row: RowName; readonly mode: ModeReport }
	| { readonly kind: "report"; readonly report: ReplayReport }
	| { readonly kind: "saving"; readonly saving: SessionSaving | null }
	| { readonly kind: "failed"; readonly message: string };

const PROFILE: Profile = "balanced";
const POST_EVERY_MS = 100;
const MODES = ["woven", "lossless", "host", "warp"] as const;

const post = (message: ReplayMessage) => parentPort?.postMessage(message);
if (parentPort)
	await run(workerData as ReplayTask).catch((error: unknown) => post({ kind: "failed", message: errorText(error) }));

async function run(task: ReplayTask): Promise<void> {
	if (task.kind === "saving") return measureSaving(task);
	let posted = 0;
	const onProgress = (what: string, done: number, total: number) => {
		if (performance.now() - posted < POST_EVERY_MS) return;
		posted = performance.now();
		post({ kind: "progress", progress: { what, done, total } });
	};
	const recording = await open(task, onProgress);
	try {
		// One mode at a time, so that the page can show each one early.
		const modes: Partial<Record<RowName, ModeReport>> = {};
		for (const row of ROWS.filter((each) => MODES.some((mode) => mode === each))) {
			const mode = (await replaySession(recording, { profile: PROFILE, rows: [row], onProgress })).modes[row];
			if (!mode) continue;
			modes[row] = mode;
			post({ kind: "mode", row, mode });
		}
		const { modes: _, ...rest } = await replaySession(recording, { profile: PROFILE, rows: [], onProgress });
		post({ kind: "report", report: { ...rest, modes } });
	} finally {
		recording.close();
	}
}

async function measureSaving({ root, home, session, host }: SavingTask): Promise<void> {
	const engine = openEngine({ cwd: root, home, host: "inspector", readOnly: true, env: {} });
	try {
		const of = listSessions(engine.log).find((each) => each.session === session && each.host === host);
		post({ kind: "saving", saving: of ? await replaySaving(engine, of) : null });
	} finally {
		engine.close();
	}
}

async function open(
	task: Exclude<ReplayTask, SavingTask>,
	onProgress: (what: string, done: number, total: number) => void,
): Promise<Recording> {
	if (task.kind === "file") {
		return openRecording(task.path, { onProgress: (done, total) => onProgress("reading the session", done, total) });
	}
	const engine = openEngine({ cwd: task.root, home: task.home, host: "inspector", readOnly: true, env: {} });
	const { session, host } = findSession(engine.log, task.session);
	return { ...openSession(engine.history, { session, host }), close: () => engine.close() };
}
