/**
 * Opens a project and wires its rooms. Verbs only; what they mean is written in the rooms.
 *
 * ```ts
 * const engine = openEngine({ cwd: process.cwd(), host: "my-agent" });
 * engine.record([{ type: "Custom", payload: { name: "deploy", data: { to: "staging" } } }]);
 * engine.close();
 * ```
 */
import type { KnownType, NewEvent } from "./event/types.ts";
import { debugWriter } from "./log/debug.ts";
import { dataHome, projectRoot } from "./log/home.ts";
import type { Log } from "./log/log.ts";
import { openProjectLog } from "./log/project.ts";
import { prune } from "./log/prune.ts";
import type { AppendResult } from "./log/types.ts";
import { TableFolds } from "./projection/table-folds.ts";
import type { Settings } from "./settings/keys.ts";
import { readSettings } from "./settings/read.ts";
import type { SettingProblem } from "./settings/resolve.ts";
import { nodeFold } from "./summary/fold.ts";
import { withSummaries } from "./summary/searchable.ts";
import { sessionFold } from "./transcript/fold.ts";
import { searchable } from "./transcript/searchable.ts";
import { treeFold } from "./transcript/tree-fold.ts";

export interface EngineOptions {
	/** A folder of the project: its git root, or else the folder itself, is the project. */
	readonly cwd: string;
	/** Who records: pi, openclaw, claude-code, cli, … */
	readonly host: string;
	/** The host's id of the session, for events that do not bring one. */
	readonly session?: string;
	/** Where all data lies; by default what the settings say. */
	readonly home?: string;
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

export interface Engine {
	readonly log: Log;
	readonly settings: Settings;
	/** What was wrong in the settings; the default holds for each. */
	readonly problems: readonly SettingProblem[];
	readonly project: { readonly root: string; readonly folder: string };
	/** Writes what happened: one transaction, nothing twice. */
	record(events: readonly (NewEvent | GivenEvent)[]): AppendResult;
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

	return {
		log,
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
						apply: true,
					});
					debug("prune", { ...report });
				}
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
}
