/**
 * Opens a project and wires its floors. The floors hold the behaviour.
 *
 * ```ts
 * const engine = openEngine({ cwd: process.cwd(), host: "my-agent" });
 * engine.record([{ type: "Custom", payload: { name: "deploy", data: { to: "staging" } } }]);
 * engine.close();
 * ```
 */

import { compactor } from "./context/compactor.ts";
import type { HandlerApi } from "./context/handler/handler.ts";
import { ProjectHandlers } from "./context/handler/project-handlers.ts";
import type { Plan, PlannedSeal } from "./context/plan.ts";
import { guardState, type ProjectState, ProjectStates } from "./context/project-state.ts";
import { type EndOptions, pruneLog } from "./context/prune-log.ts";
import type { Assembled, RequestInput, SealInput } from "./context/request.ts";
import { Requests } from "./context/requests.ts";
import type { ContextItem } from "./context/section/section.ts";
import type { Aftermath } from "./guard/aftermath.ts";
import { knowledgeOf } from "./guard/base-text.ts";
import { DiskFiles } from "./guard/disk.ts";
import { Guard } from "./guard/guard.ts";
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
import type { SessionRef } from "./log/session-ref.ts";
import type { AppendResult } from "./log/types.ts";
import type { ResultBlock } from "./message/view.ts";
import type { Settings } from "./settings/keys.ts";
import { ownVariables } from "./settings/project-variables.ts";
import { readSettings, type SettingProblem } from "./settings/resolve.ts";
import type { Compaction, CompactOptions } from "./state/history/compact.ts";
import { History } from "./state/history/history.ts";
import { nodeFold } from "./state/history/node-fold.ts";
import { withSummaries } from "./state/history/searchable.ts";
import { memoryFold } from "./state/memory/memory-fold.ts";
import { ownerFold } from "./state/session/owner-fold.ts";
import { EVERYONE, type Scope, Scopes } from "./state/session/scope.ts";
import { searchable } from "./state/session/searchable.ts";
import { sessionFold } from "./state/session/session-fold.ts";
import { treeFold } from "./state/session/tree-fold.ts";
import { usageFold } from "./state/session/usage-fold.ts";
import { diskFiles } from "./state/work/file-source.ts";
import { recordedFiles } from "./state/work/recorded-files.ts";
import type { ExpandPage, ToolAnswer } from "./tool/types.ts";

export interface EngineOptions {
	/** A folder of the project. The project is its git root, or else the folder itself. */
	readonly cwd: string;
	/** The agent that records: pi, openclaw, claude-code, cli, … */
	readonly host: string;
	/** The agent's id of the session, for events without one. */
	readonly session?: string | undefined;
	/** The data folder; by default from the settings. */
	readonly home?: string | undefined;
	readonly env?: NodeJS.ProcessEnv | undefined;
	readonly readOnly?: boolean | undefined;
	/** For an agent, which asks often: looks for events of other processes once per turn of the event loop. */
	readonly looksOncePerTick?: boolean | undefined;
	/** True: the project's own settings files, and the code that they name, count. By default they do not. */
	readonly trusted?: boolean | undefined;
	/** True: this agent talks with several people, and a session of it whose owner is unknown reads only itself. */
	readonly hasOwners?: boolean | undefined;
	/** How far the agent lets us change a tool call. */
	readonly powers?: HostPowers | undefined;
	readonly warn?: ((message: string) => void) | undefined;
	readonly now?: (() => number) | undefined;
}

/** An event as an agent gives it: the engine fills in a missing session, host and time. */
export type GivenEvent = { [T in KnownType]: WithDefaults<Extract<NewEvent, { type: T }>> }[KnownType];
type WithDefaults<E> = E extends NewEvent
	? Omit<E, "session" | "host" | "ts"> & Partial<Pick<E, "session" | "host" | "ts">>
	: never;

export interface Engine {
	readonly log: Log;
	readonly settings: Settings;
	/** Settings that could not be read; each has its default. */
	readonly problems: readonly SettingProblem[];
	readonly project: { readonly root: string; readonly folder: string };
	/** The session's tree of messages and the summaries over it. */
	readonly history: History;
	/** The requests of this project's sessions, step by step: for agents that own the loop. */
	readonly requests: Requests;
	/** Appends events in one transaction, none twice. */
	readonly record: (events: readonly (NewEvent | GivenEvent)[]) => AppendResult;
	/** Judges a tool call before it runs, and records the guard's events. */
	readonly judge: (call: GuardCall) => Outcome;
	/** Records what a tool call changed, or, without a result, what changed between calls. */
	readonly observe: (call: GuardCall, result?: ResultBlock) => Aftermath;
	/** The state of all sessions, for the user: the newest event in it, and whether all are there; folds at most `most` more. */
	readonly state: (most?: number) => StateAt<ProjectState>;
	/** The sessions that a session may read. Everything that reaches its model passes through here. */
	readonly scope: (session: SessionRef) => Scope;
	/** The state that a session may know. */
	readonly stateFor: (session: SessionRef) => StateAt<ProjectState>;
	/** The state when `seq` was the newest event. */
	readonly stateAt: (seq: number) => StateAt<ProjectState>;
	/** Plans the next request. Writes nothing. */
	readonly plan: (input: RequestInput) => Plan;
	/** Makes the next request of a session from the log, with a seal if one is due. */
	readonly assemble: (input: RequestInput) => Promise<Assembled>;
	/** Seals now, if that pays or is asked for. Undefined: no message left. */
	readonly seal: (input: SealInput) => Promise<PlannedSeal | undefined>;
	/** Explains why each part of the next request is in it or not. Writes nothing. */
	readonly explain: (input: RequestInput) => readonly ContextItem[];
	/** Summarises the messages before the tail; without models by the deterministic summariser. */
	readonly compact: (options: CompactOptions) => Promise<Compaction>;
	/** Full text search over messages, calls and results. */
	readonly search: (query: FindQuery) => FindResult;
	/** Fetches a summary, a message, an event or a blob by its handle, in pages. */
	readonly expand: (handle: string, page?: ExpandPage) => Promise<ToolAnswer>;
	/** Adds a handler for `assemble`, beside those of the settings' files. Returns a function that removes it. */
	readonly on: HandlerApi["on"];
	/** In `debugMode`, writes to a file in the project's data folder. */
	readonly debug: (what: string, details?: object) => void;
	/** At the end of an agent's session: prunes by the settings, packs, and closes. Of sessions that end together one prunes. */
	readonly endSession: (options?: EndOptions) => Promise<void>;
	readonly close: () => void;
}

export function openEngine(options: EngineOptions): Engine {
	const { host, session = "-", warn } = options;
	const now = () => Math.trunc((options.now ?? Date.now)());
	const { root, settings, problems, log, debug } = openProject(options);
	const scopes = new Scopes(log, { ownedHost: options.hasOwners ? host : undefined });
	const states = new ProjectStates(log, scopes);
	const state = (most?: number) => states.all.current(most);
	const history = new History(log);
	const record: Engine["record"] = (events) => {
		const filled = events.map((event) => ({ session, host, ts: now(), ...event }));
		const result = log.append(filled as readonly NewEvent[]);
		debug("record", { events: events.length, added: result.added, newest: result.seqs.at(-1) });
		return result;
	};
	const guard = new Guard({
		state: () => guardState(state().state),
		files: new DiskFiles(),
		...knowledgeOf(log, history.tree, { maxBytes: settings.keepBytes, now }),
		settings,
		powers: options.powers ?? { canChangeInput: false },
		now,
	});
	// The settings of an untrusted project name no files.
	const handlers = new ProjectHandlers({ files: settings.handlers, folder: root, onProblem: (text) => warn?.(text) });
	const compact = compactor(history, settings, now);
	const requests = new Requests({
		history,
		mode: settings.enabled ? settings.mode : "off",
		settings,
		root,
		now,
		record,
		state: (of) => states.of(of).state,
		files: () => diskFiles(root),
		known: () => recordedFiles(log, log.newestSeq()),
		handlers: () => handlers.ready(),
		warn,
		compact,
	});
	const recorded = <Result extends { readonly events: readonly NewEvent[] }>(result: Result): Result => {
		if (result.events.length > 0) record(result.events);
		return result;
	};
	const close = () => {
		debug("close");
		const lost = log.isOpen ? lossNotice(log.losses()) : undefined;
		if (lost !== undefined) warn?.(lost);
		if (log.isOpen && !log.isDeleted && options.looksOncePerTick) states.park();
		log.close();
	};
	const prune = async (onPruned: EndOptions["onPruned"]) => {
		const report = await pruneLog(log, settings, { now: now(), apply: true }, states.all);
		debug("prune", { ...report });
		if (report.applied) onPruned?.();
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
		scope: (of) => scopes.of(of),
		stateFor: (of) => states.of(of),
		stateAt: (seq) => states.all.at(seq),
		plan: (input) => requests.plan(input),
		assemble: (input) => requests.assemble(input),
		seal: (input) => requests.sealNow(input),
		explain: (input) => requests.plan(input).parts,
		compact,
		search: (query) => log.search.find(query),
		expand: async (handle, { offset, maxTokens } = {}) => {
			const { lcmExpand } = await import("./tool/expand.ts");
			const input = { summary_id: handle, offset, max_tokens: maxTokens };
			return lcmExpand.run({ history, session: { session, host }, scope: EVERYONE, now: now() }, input);
		},
		on: handlers.handlers.api("code").on,
		debug,
		endSession: async ({ onPruned } = {}) => {
			try {
				// Where the user has deleted the folder, nothing brings it back.
				if (log.isDeleted) return;
				if (settings.autoPrune) await prune(onPruned);
				states.all.writeSnapshot();
				log.settle();
			} finally {
				close();
			}
		},
		close,
	};
}

function openProject(options: EngineOptions) {
	const { cwd, host, warn, trusted = false, readOnly = false, env = process.env, now = Date.now } = options;
	const root = projectRoot(cwd);
	const flags = options.home === undefined ? undefined : { dbDir: options.home };
	const { settings, problems } = readSettings({ env, cwd, projectRoot: root, trusted, flags });
	const log = openProjectLog({
		home: dataHome(settings.dbDir ?? undefined, ownVariables(env, [root, cwd])),
		...{ root, readOnly },
		looksOncePerTick: options.looksOncePerTick,
		projection: () => new TableFolds([ownerFold, sessionFold, treeFold, nodeFold, usageFold, memoryFold]),
		searchable: withSummaries(searchable),
		now,
		warn,
		onWait: warn,
	});
	if (!readOnly) removeOrphans(log);
	const debug: Engine["debug"] = settings.debugMode && !readOnly ? debugWriter(log.folder, now) : () => {};
	debug("open", { root, host });
	return { root, settings, problems, log, debug };
}
