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
import { guardState, type ProjectState, projectState } from "./context/project-state.ts";
import { type Assembled, type AssembleInput, Requests } from "./context/request/requests.ts";
import { hiddenPrice } from "./context/seal/reread-fold.ts";
import { seedBudget } from "./context/seal/seal-rule.ts";
import { sealsOf, Weave } from "./context/seal/weave.ts";
import type { ContextItem } from "./context/section/section.ts";
import { HISTORY_SHARE, historySection } from "./context/section/seed/history.ts";
import type { KnownType, NewEvent } from "./event/types.ts";
import { TableFolds } from "./fold/table-folds.ts";
import { baseFromLog } from "./guard/base-text.ts";
import { DiskFiles } from "./guard/disk.ts";
import { Guard } from "./guard/guard.ts";
import type { HostPowers } from "./guard/read-size.ts";
import type { GuardCall, Outcome } from "./guard/types.ts";
import { type Compaction, type CompactOptions, compact } from "./history/compact.ts";
import { nodeFold } from "./history/fold.ts";
import { History } from "./history/history.ts";
import { withSummaries } from "./history/searchable.ts";
import { debugWriter } from "./log/debug.ts";
import { dataHome, projectRoot } from "./log/home.ts";
import type { Log } from "./log/log.ts";
import { openProjectLog } from "./log/project.ts";
import { prune } from "./log/prune.ts";
import type { AppendResult } from "./log/types.ts";
import { sessionFold } from "./session/fold.ts";
import { searchable } from "./session/searchable.ts";
import type { SessionRef } from "./session/tree.ts";
import { treeFold } from "./session/tree-fold.ts";
import type { Settings } from "./settings/keys.ts";
import { readSettings } from "./settings/read.ts";
import type { SettingProblem } from "./settings/resolve.ts";
import { estimateTokens } from "./tokens/estimate.ts";
import { pricesOf } from "./tokens/prices.ts";
import type { ToolAnswer } from "./tool/types.ts";
import { diskFiles } from "./work/file-source.ts";

export interface EngineOptions {
	/** A folder of the project: its git root, or else the folder itself, is the project. */
	readonly cwd: string;
	/** Who records: pi, openclaw, claude-code, cli, … */
	readonly host: string;
	/** The host's id of the session, for events that do not bring one. */
	readonly session?: string;
	/** Where all data lies; by default what the settings say. */
	readonly home?: string | undefined;
	readonly env?: NodeJS.ProcessEnv;
	readonly readOnly?: boolean;
	/** Whether the project's own settings files count. */
	readonly trusted?: boolean;
	readonly warn?: (message: string) => void;
	readonly now?: () => number;
}

/** An event as a host gives it: session, host and time are filled in where they are missing. */
export type GivenEvent = { [T in KnownType]: Given<Extract<NewEvent, { type: T }>> }[KnownType];
type Given<E> = E extends NewEvent
	? Omit<E, "session" | "host" | "ts"> & Partial<Pick<E, "session" | "host" | "ts">>
	: never;

export interface WeaveOf extends SessionRef {
	/** The model's id, for its prices. */
	readonly model?: string;
	/** The model's context window in tokens. */
	readonly window: number;
}

export interface Engine {
	readonly log: Log;
	readonly settings: Settings;
	/** What was wrong in the settings; the default holds for each. */
	readonly problems: readonly SettingProblem[];
	readonly project: { readonly root: string; readonly folder: string };
	/** Writes what happened: one transaction, nothing twice. */
	record(events: readonly (NewEvent | GivenEvent)[]): AppendResult;
	/** What is true now. Folds what came since the last question. */
	state(): ProjectState;
	/** Judges tool calls before they run and looks at what they did. */
	guard(powers: HostPowers): Guard;
	/** Judges one call by a guard that cannot change its arguments, and records what the guard wants written down. */
	judge(call: GuardCall): Outcome;
	/** `woven` for a session: which seed stands, and when to seal. */
	weave(of: WeaveOf): Weave;
	/** The session's tree of messages and the summaries over it. */
	readonly history: History;
	/** Summarises what lies before the tail; without models by the deterministic summariser. */
	compact(options: CompactOptions): Promise<Compaction>;
	/** The next request of a session, whole, from what was recorded: a seal or a compaction that is due is made. */
	assemble(input: AssembleInput): Promise<Assembled>;
	/** What the next request would hold, and why each part is in it or not. Writes nothing. */
	explain(input: AssembleInput): Promise<readonly ContextItem[]>;
	/** Everything back, in pages: a summary, a message, an event or a blob by its handle. */
	expand(handle: string, page?: { readonly offset?: number; readonly maxTokens?: number }): Promise<ToolAnswer>;
	/** Handlers for `assemble`, beside those of the files that the settings name. Returns what takes it off again. */
	readonly on: HandlerApi["on"];
	/** For `debugMode`: writes to a file in the project's data folder. */
	debug(what: string, details?: object): void;
	/** At the end of a host's session: prunes by the settings, packs, and closes. */
	endSession(): Promise<void>;
	close(): void;
}

export function openEngine(options: EngineOptions): Engine {
	const env = options.env ?? process.env;
	const now = options.now ?? Date.now;
	const root = projectRoot(options.cwd);
	const { settings, problems } = readSettings({
		env,
		cwd: options.cwd,
		projectRoot: root,
		trusted: options.trusted ?? true,
		...(options.home === undefined ? {} : { flags: { dbDir: options.home } }),
	});
	const log = openProjectLog({
		home: dataHome(settings.dbDir ?? undefined, env),
		root,
		readOnly: options.readOnly ?? false,
		projection: () => new TableFolds([sessionFold, treeFold, nodeFold]),
		searchable: withSummaries(searchable),
		now,
		...(options.warn ? { warn: options.warn } : {}),
	});
	const debug = settings.debugMode && !options.readOnly ? debugWriter(log.folder, now) : () => {};
	debug("open", { root, host: options.host });

	const runner = projectState(log);
	const state = () => runner.current().state;
	const history = new History(log);
	const openGuard = (powers: HostPowers) =>
		new Guard({
			state: () => guardState(state()),
			files: new DiskFiles(),
			base: baseFromLog(log),
			settings,
			powers,
			now,
		});
	const judging = openGuard({ canChangeInput: false });
	const handlers = new ProjectHandlers({
		files: (options.trusted ?? true) ? settings.handlers : [],
		folder: root,
		onProblem: (message) => options.warn?.(message),
	});
	const requests = new Requests({
		history,
		state,
		now,
		mode: settings.enabled ? settings.mode : "off",
		weave: (of) => engine.weave(of),
		files: () => diskFiles(root),
		handlers: () => handlers.ready(),
		record: (events) => engine.record(events),
		compact: async (session, keepFrom) => {
			const { leafChunkTokens, condensationThreshold, maxDepth } = settings;
			const given = { leafChunkTokens, condensationThreshold, maxDepth };
			await engine.compact({ session, settings: given, ...(keepFrom === undefined ? {} : { keepFrom }) });
		},
	});

	const engine: Engine = {
		log,
		state,
		history,
		guard: openGuard,
		judge(call) {
			const outcome = judging.before(call);
			if (outcome.events.length > 0) this.record(outcome.events);
			return outcome;
		},
		assemble: (input) => requests.assemble(input),
		explain: (input) => requests.explain(input),
		async expand(handle, { offset, maxTokens } = {}) {
			const { lcmExpand } = await import("./tool/expand.ts");
			const session = { session: options.session ?? "-", host: options.host };
			return lcmExpand.run({ history, session, now: now() }, { summary_id: handle, offset, max_tokens: maxTokens });
		},
		on: handlers.handlers.api("code").on,
		weave: ({ session, host, model, window }) => {
			const budget = seedBudget(settings.profile, window) * HISTORY_SHARE;
			return new Weave({
				session,
				root,
				window,
				state,
				prices: pricesOf(model),
				profile: settings.profile,
				hidden: hiddenPrice(state().rereads, settings.profile, pricesOf(model).write),
				seals: sealsOf(log.read({ session, host, types: ["Seal"] }), estimateTokens),
				files: () => diskFiles(root),
				history: () => historySection(history.path({ session, host }).nodes, budget),
			});
		},
		compact: (options) => compact(history, { now, ...options }),
		settings,
		problems,
		project: { root, folder: log.folder },
		debug,
		record(events) {
			const filled = events.map((event) => ({
				session: options.session ?? "-",
				host: options.host,
				ts: now(),
				...event,
			}));
			const result = log.append(filled as readonly NewEvent[]);
			debug("record", { events: events.length, added: result.added, newest: result.seqs.at(-1) });
			return result;
		},
		async endSession() {
			try {
				if (settings.autoPrune) {
					const report = await prune(log, {
						now: now(),
						days: settings.pruneDays,
						minEvents: settings.minEventsToKeep,
						before: () => runner.writeSnapshot({ base: true }),
						apply: true,
					});
					debug("prune", { ...report });
				}
				runner.writeSnapshot();
				log.settle();
			} finally {
				this.close();
			}
		},
		close() {
			debug("close");
			log.close();
		},
	};
	return engine;
}
