/** The thread in which a replay runs. Says how far it is, then gives the report. */

import { parentPort, workerData } from "node:worker_threads";
import { errorText } from "../../../base/error/error-text.ts";
import type { Profile } from "../../../context/seal/rule.ts";
import { openEngine } from "../../../engine.ts";
import type { ModeReport } from "../../../replay/mode-report.ts";
import { openRecording, openSession, type Recording } from "../../../replay/recording.ts";
import { type ReplayReport, replaySession } from "../../../replay/report.ts";
import { ROWS, type RowName } from "../../../replay/requests.ts";
import { findSession } from "../../../state/session/find-session.ts";

export type ReplayTask =
	| { readonly kind: "file"; readonly path: string }
	| { readonly kind: "session"; readonly root: string; readonly home: string; readonly session: string };

export type ReplayMessage =
	| {
			readonly kind: "progress";
			readonly progress: { readonly what: string; readonly done: number; readonly total: number };
	  }
	| { readonly kind: "mode"; readonly row: RowName; readonly mode: ModeReport }
	| { readonly kind: "report"; readonly report: ReplayReport }
	| { readonly kind: "failed"; readonly message: string };

const PROFILE: Profile = "balanced";
const TELL_EVERY_MS = 100;

const say = (word: ReplayMessage) => parentPort?.postMessage(word);
if (parentPort)
	await run(workerData as ReplayTask).catch((error: unknown) => say({ kind: "failed", message: errorText(error) }));

async function run(task: ReplayTask): Promise<void> {
	let told = 0;
	const onProgress = (what: string, done: number, total: number) => {
		if (performance.now() - told < TELL_EVERY_MS) return;
		told = performance.now();
		say({ kind: "progress", progress: { what, done, total } });
	};
	const recording = await open(task, onProgress);
	try {
		// One mode after the other, so that each is shown as soon as it is there.
		const modes: Partial<Record<RowName, ModeReport>> = {};
		for (const row of ROWS.filter((row) => row === "woven" || row === "lossless" || row === "host" || row === "warp")) {
			const { modes: made } = await replaySession(recording, { profile: PROFILE, rows: [row], onProgress });
			modes[row] = made[row]!;
			say({ kind: "mode", row, mode: made[row]! });
		}
		const { modes: _, ...rest } = await replaySession(recording, { profile: PROFILE, rows: [], onProgress });
		say({ kind: "report", report: { ...rest, modes } });
	} finally {
		recording.close();
	}
}

async function open(
	task: ReplayTask,
	onProgress: (what: string, done: number, total: number) => void,
): Promise<Recording> {
	if (task.kind === "file") {
		return openRecording(task.path, { onProgress: (done, total) => onProgress("reading the session", done, total) });
	}
	const engine = openEngine({ cwd: task.root, home: task.home, host: "inspector", readOnly: true, env: {} });
	const { session, host } = findSession(engine.log, task.session);
	return { ...openSession(engine.history, { session, host }), close: () => engine.close() };
}
