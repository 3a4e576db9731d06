/**
 * Opens a project and wires its rooms. Verbs only; what they mean is written in the rooms.
 *
 * ```ts
 * const engine = openEngine({ cwd: process.cwd(), host: "my-agent" });
 * engine.record([{ type: "Custom", payload: { name: "deploy", data: { to: "staging" } } }]);
 * engine.close();
 * ```
 */

import type { HandlerApi } from "./context/handler/handler.ts";
import { ProjectHandlers } from "./context/handler/project-handlers.ts";
import type { Assembled, RequestInput, SealInput } from "./context/made-request.ts";
import type { ModeName } from "./context/moment.ts";
import type { Plan, PlannedSeal } from "./context/plan.ts";
import { guardState, type ProjectState, projectState } from "./context/project-state.ts";
import { type EndOptions, pruneLog } from "./context/prune-log.ts";
import { Requests } from "./context/requests.ts";
import type { ContextItem } from "./context/section/section.ts";
import { knowledgeOf } from "./guard/base-text.ts";
import { DiskFiles } from "./guard/disk.ts";
import { Guard } from "./guard/guard.ts";
import type { Aftermath } from "./guard/look-again.ts";
import type { HostPowers } from "./guard/policy.ts";
import type { GuardCall, Outcome } from "./guard/types.ts";
import { debugWriter } from "./log/debug-log.ts";
import type { KnownType, NewEvent } from "./log/event/types.ts";
import type { StateAt } from "./log/fold/state-runner.ts";
import { TableFolds } from "./log/fold/table-folds.ts";
import { dataHome, projectRoot } from "./log/home.ts";
import type { Log } from "./log/log.ts";
import { openProjectLog } from "./log/project.ts";
import { lossNotice } from "./log/repair/loss-notice.ts";
import { removeOrphans } from "./log/retention/orphan-archives.ts";
import type { FindQuery, FindResult } from "./log/search/types.ts";
import type { AppendResult } from "./log/types.ts";
import type { ResultBlock } from "./message/view.ts";
import type { Settings } from "./settings/keys.ts";
import { readSettings } from "./settings/read.ts";
import type { SettingProblem } from "./settings/resolve.ts";
import { type Compaction, type CompactOptions, compact } from "./state/history/compact.ts";
import { History } from "./state/history/history.ts";
import { nodeFold } from "./state/history/node-fold.ts";
import { withSummaries } from "./state/history/searchable.ts";
import { memoryFold } from "./state/memory/memory-fold.ts";
import { searchable } from "./state/session/searchable.ts";
import { sessionFold } from "./state/session/session-fold.ts";
import { treeFold } from "./state/session/tree-fold.ts";
import { usageFold } from "./state/session/usage-fold.ts";
import { diskFiles } from "./state/work/file-source.ts";
import { recordedFiles } from "./state/work/recorded-files.ts";
import type { ToolAnswer } from "./tool/types.ts";

export interface EngineOptions {
	/** A folder of the project: its git root, or else the folder itself, is the project. */
	readonly cwd: string;
	/** Who records: pi, openclaw, claude-code, cli, … */
	readonly host: string;
	/** The host's id of the session, for events that do not bring one. */
	readonly session?: string | undefined;
	/** Where all data is kept; by default what the settings say. */
	readonly home?: string | undefined;
	readonly env?: NodeJS.ProcessEnv | undefined;
	readonly readOnly?: boolean | undefined;
	/** For a host, which asks often: what other processes write is looked for once in a turn of the event loop. */
	readonly looksOncePerTick?: boolean | undefined;
	/** Whether the project's own settings files, and the code that they name, count. By default they do not. */
	readonly trusted?: boolean | undefined;
	/** What the host lets us do to a tool call. */
	readonly powers?: HostPowers | undefined;
	readonly warn?: ((message: string) => void) | undefined;
	readonly now?: (() => number) | undefined;
}

/** An event as a host gives it: session, host and time are filled in where they are missing. */
export type GivenEvent = { [T in KnownType]: Given<Extract<NewEvent, { type: T }>> }[KnownType];
type Given<E> = E extends NewEvent
	? Omit<E, "session" | "host" | "ts"> & Partial<Pick<E, "session" | "host" | "ts">>
	: never;

export interface Engine {
	readonly log: Log;
	readonly settings: Settings;
	/** What was wrong in the settings; the default holds for each. */
	readonly problems: readonly SettingProblem[];
	readonly project: { readonly root: string; readonly folder: string };
	/** The session's tree of messages and the summaries over it. */
	readonly history: History;
	/** The requests of this project's sessions, step by step: for hosts that own the loop. */
	readonly requests: Requests;
	/** Writes what happened: one transaction, nothing twice. */
	readonly record: (events: readonly (NewEvent | GivenEvent)[]) => AppendResult;
	/** Judges a tool call before it runs, and records what the guard wants written down. */
	readonly judge: (call: GuardCall) => Outcome;
	/** Looks at what a tool call did, after it ran, or, without a result, at what changed between calls. Records it. */
	readonly observe: (call: GuardCall, result?: ResultBlock) => Aftermath;
	/** What is true now, the newest event that it counts in, and whether all events are there. */
	readonly state: () => StateAt<ProjectState>;
	/** What was true when `seq` was the newest event. */
	readonly stateAt: (seq: number) => StateAt<ProjectState>;
	/** What the next request would hold. Writes nothing. */
	readonly plan: (input: RequestInput) => Plan;
	/** The next request of a session, whole, from what was recorded: a seal that is due is made. */
	readonly assemble: (input: RequestInput) => Promise<Assembled>;
	/** Seals now, if that pays or is asked for. Undefined: nothing left. */
	readonly seal: (input: SealInput) => Promise<PlannedSeal | undefined>;
	/** Why each part of the next request is in it or not. Writes nothing. */
	readonly explain: (input: RequestInput) => readonly ContextItem[];
	/** Summarises what lies before the tail; without models by the deterministic summariser. */
	readonly compact: (options: CompactOptions) => Promise<Compaction>;
	/** Full text search over everything that was said, called and answered. */
	readonly search: (query: FindQuery) => FindResult;
	/** Everything back, in pages: a summary, a message, an event or a blob by its handle. */
	readonly expand: (
		handle: string,
		page?: { readonly offset?: number; readonly maxTokens?: number },
	) => Promise<ToolAnswer>;
	/** Handlers for `assemble`, beside those of the files that the settings name. Returns what removes it again. */
	readonly on: HandlerApi["on"];
	/** For `debugMode`: writes to a file in the project's data folder. */
	readonly debug: (what: string, details?: object) => void;
	/** At the end of a host's session: prunes by the settings, packs, and closes. Of sessions that end together one prunes. */
	readonly endSession: (options?: EndOptions) => Promise<void>;
	readonly close: () => void;
}

export function openEngine(options: EngineOptions): Engine {
	const { cwd, host, session, warn, trusted = false, readOnly = false, env = process.env, now = Date.now } = options;
	const root = projectRoot(cwd);
	const flags = options.home === undefined ? undefined : { dbDir: options.home };
	const { settings, problems } = readSettings({ env, cwd, projectRoot: root, trusted, flags });
	const log = openProjectLog({
		home: dataHome(settings.dbDir ?? undefined, env),
		root,
		readOnly,
		looksOncePerTick: options.looksOncePerTick,
		projection: () => new TableFolds([sessionFold, treeFold, nodeFold, usageFold, memoryFold]),
		searchable: withSummaries(searchable),
		now,
		warn,
		onWait: warn,
	});
	if (!readOnly) removeOrphans(log);
	const debug = settings.debugMode && !readOnly ? debugWriter(log.folder, now) : () => {};
	debug("open", { root, host });
	const runner = projectState(log);
	const state = () => runner.current();
	const history = new History(log);
	const record: Engine["record"] = (events) => {
		const filled = events.map((event) => ({ session: session ?? "-", host, ts: now(), ...event }));
		const result = log.append(filled as readonly NewEvent[]);
		debug("record", { events: events.length, added: result.added, newest: result.seqs.at(-1) });
		return result;
	};
	const guard = new Guard({
		state: () => guardState(state().state),
		files: new DiskFiles(),
		...knowledgeOf(log, history.tree),
		settings,
		powers: options.powers ?? { canChangeInput: false },
		now,
	});
	const handlers = new ProjectHandlers({
		// Those of a project that is not trusted are not among the settings.
		files: settings.handlers,
		folder: root,
		onProblem: (message) => warn?.(message),
	});
	const { leafChunkTokens, condensationThreshold, maxDepth } = settings;
	const compactNow: Engine["compact"] = async (given) => {
		const compaction = await compact(history, {
			now,
			...given,
			settings: { leafChunkTokens, condensationThreshold, maxDepth, ...given.settings },
		});
		// A seal waits for the summaries, but not for the disk.
		if (compaction.compacted) log.checkpointSoon();
		return compaction;
	};
	const mode: ModeName = settings.enabled ? settings.mode : "off";
	const requests = new Requests({
		history,
		mode,
		settings,
		root,
		now,
		record,
		state: () => state().state,
		files: () => diskFiles(root),
		known: () => recordedFiles(log, log.newestSeq()),
		handlers: () => handlers.ready(),
		warn,
		compact: compactNow,
	});
	const recorded = <Told extends { readonly events: readonly NewEvent[] }>(told: Told): Told => {
		if (told.events.length > 0) record(told.events);
		return told;
	};
	const close = () => {
		debug("close");
		const lost = log.isOpen ? lossNotice(log.losses()) : undefined;
		if (lost !== undefined) warn?.(lost);
		if (log.isOpen && options.looksOncePerTick) runner.park();
		log.close();
	};

	return {
		log,
		settings,
		problems,
		project: { root, folder: log.folder },
		history,
		requests,
		record,
		judge: (call) => recorded(guard.before(call)),
		observe: (call, result) => recorded(result ? guard.after(call, result) : guard.between(call)),
		state,
		stateAt: (seq) => runner.at(seq),
		plan: (input) => requests.plan(input),
		assemble: (input) => requests.assemble(input),
		seal: (input) => requests.sealNow(input),
		explain: (input) => requests.plan(input).parts,
		compact: compactNow,
		search: (query) => log.search.find(query),
		expand: async (handle, { offset, maxTokens } = {}) => {
			const { lcmExpand } = await import("./tool/expand.ts");
			const context = { history, session: { session: session ?? "-", host }, now: now() };
			return lcmExpand.run(context, { summary_id: handle, offset, max_tokens: maxTokens });
		},
		on: handlers.handlers.api("code").on,
		debug,
		endSession: async ({ onPruned } = {}) => {
			try {
				if (settings.autoPrune) {
					const report = await pruneLog(log, settings, { now: now(), apply: true }, runner);
					debug("prune", { ...report });
					if (report.applied) onPruned?.();
				}
				runner.writeSnapshot();
				log.settle();
			} finally {
				close();
			}
		},
		close,
	};
}
