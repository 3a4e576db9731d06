/** What is true, for people and programs: the state as one document of a stable shape. Pure. */
import type { ProjectState } from "../context/project-state.ts";
import { getRecent, newestFirst, type Recent } from "../fold/keyed.ts";
import type { StateAt } from "../fold/state.ts";
import type { DecisionState } from "../work/decision-fold.ts";
import type { Failure } from "../work/failure/fold.ts";
import type { FileState } from "../work/file-fold.ts";
import type { SessionIntent } from "../work/intent-fold.ts";
import { type ToolLatency, typicalMs } from "../work/latency-fold.ts";
import type { SessionProgress } from "../work/progress-fold.ts";
import type { RepoNote } from "../work/repo-fold.ts";
import type { SessionInfo } from "../work/session-fold.ts";
import { scoreFiles, WORKING_SET_FILES } from "../work/working-set.ts";

export interface StateView {
	/** The newest event that is counted in. */
	readonly seq: number;
	/** False: older events were pruned and are missing in it. */
	readonly complete: boolean;
	/** Events of types that this version does not know. */
	readonly unknown: number;
	/** The session whose intent and progress are shown. */
	readonly session: SessionInfo | null;
	/** Freshest first. */
	readonly sessions: readonly SessionInfo[];
	readonly repo: RepoNote | null;
	readonly intent: SessionIntent | null;
	readonly workingSet: readonly { readonly path: string; readonly score: number; readonly why: readonly string[] }[];
	/** Every file that a tool read or changed, by path. */
	readonly files: readonly FileState[];
	readonly failures: { readonly open: readonly Failure[]; readonly resolved: readonly Failure[] };
	readonly decisions: DecisionState;
	readonly verdicts: ProjectState["verdicts"]["recent"];
	readonly progress: SessionProgress | null;
	readonly latency: readonly ({ readonly tool: string; readonly typicalMs: number } & Omit<ToolLatency, "recentMs">)[];
}

export function viewState({ seq, complete, unknown, state }: StateAt<ProjectState>, chosen?: string): StateView {
	const session = chosen ?? state.sessions.current;
	const of = <Value>(map: Recent<Value>): Value | null => (session === null ? null : (getRecent(map, session) ?? null));
	const { open, resolved } = state.failures.failures;
	return {
		seq,
		complete,
		unknown,
		session: of(state.sessions.sessions),
		sessions: [...newestFirst(state.sessions.sessions)].map(([, info]) => info),
		repo: state.repo.map,
		intent: of(state.intent.sessions),
		workingSet: scoreFiles(state, session)
			.slice(0, WORKING_SET_FILES)
			.map(({ file, score, why }) => ({ path: file.path, score, why })),
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
