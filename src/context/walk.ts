/**
 * A recorded session, request by request, as the planner would have made each: with the state, the files and the clock of
 * that moment. Seals and summaries that it would have made on the way are kept in memory. `weft context` walks to one
 * request, replay to all of them; nothing is written.
 */

import { logUpTo } from "../fold/log-up-to.ts";
import { compact } from "../history/compact.ts";
import { ScratchHistory } from "../history/scratch.ts";
import type { HistorySettings } from "../history/types.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../session/tree.ts";
import type { Prices } from "../tokens/prices.ts";
import type { FileSource } from "../work/file-source.ts";
import { RecordedFiles } from "../work/recorded-files.ts";
import { modeOf } from "./mode.ts";
import type { Moment, PlanSettings } from "./moment.ts";
import { openingRole, PatchList } from "./patches.ts";
import { type Path, PathReader } from "./path.ts";
import { type Plan, type PlanRequest, plan, sealDue } from "./plan.ts";
import { projectState } from "./project-state.ts";

/** A call of the model in a recorded session. */
export interface RecordedCall {
	readonly session: SessionRef;
	/** seq of the entry at which the agent stood when it asked; undefined: the session was empty. */
	readonly leaf: number | undefined;
	/** The newest event that it could know. */
	readonly upTo: number;
}

/** When a request was made, as far as the log tells: when the newest entry of its path was written. */
export function recordedClock(log: Log, leaf: number | undefined): number {
	return (leaf === undefined ? undefined : log.get(leaf)?.ts) ?? 0;
}

export interface WalkOptions {
	readonly log: Log;
	readonly settings: PlanSettings;
	readonly prices: Prices;
	/** The folder in which a session ran. */
	readonly rootOf: (session: string) => string;
	/** How what leaves is summarised. */
	readonly summaries?: Partial<HistorySettings> | undefined;
}

export interface WalkedRequest {
	readonly path: Path;
	readonly plan: Plan;
}

/** What is known better than the log knows it: the real clock, the disk. */
export interface Known {
	readonly now?: number | undefined;
	readonly files?: (() => FileSource) | undefined;
	readonly known?: (() => FileSource) | undefined;
}

export class Walk {
	readonly #options: WalkOptions;
	readonly #scratch: ScratchHistory;
	readonly #reader: PathReader;
	readonly #patches = new Map<string, PatchList>();
	readonly #files = new RecordedFiles();
	readonly #state;
	#upTo = 0;
	#seals = 0;

	constructor(options: WalkOptions) {
		this.#options = options;
		this.#scratch = new ScratchHistory(options.log);
		this.#reader = new PathReader(this.#scratch);
		this.#state = projectState(logUpTo(options.log, () => this.#upTo));
		this.#scratch.catchUp();
	}

	/** How often something else was put in the place of raw messages. */
	get seals(): number {
		return this.#seals;
	}

	/** Calls must come in the order of the log. */
	async request(call: RecordedCall, now: Known = {}): Promise<WalkedRequest> {
		const { settings, summaries } = this.#options;
		const { session, leaf } = call;
		this.#upTo = call.upTo;
		const patches = this.#patchesOf(session);
		const compactions = settings.mode === "host" ? "host" : "none";
		const path = this.#reader.read({ session, leaf, patches, compactions });
		const moment = { ...this.#momentOf(path, call), ...given(now) };
		const asked: PlanRequest = { role: openingRole(session.host, settings.mode) };
		const due = sealDue(moment, settings, asked);
		const keep = path.messages[due.first];
		if (due.first > 0 && keep && modeOf(settings.mode).summarises) {
			const now = () => moment.now;
			await compact(this.#scratch, {
				session,
				leaf,
				keepFrom: keep.seq,
				settings: { ...summaries, minMessages: 1 },
				now,
			});
		}
		const planned = plan(moment, settings, asked);
		if (planned.seal && leaf !== undefined) {
			patches.add(leaf, { seq: call.upTo, transform: planned.seal.transform });
			this.#seals++;
		}
		return { path, plan: planned };
	}

	#momentOf(path: Path, call: RecordedCall): Moment {
		const { prices, rootOf, log } = this.#options;
		return {
			path,
			prices,
			history: this.#scratch,
			now: recordedClock(log, call.leaf),
			root: rootOf(path.session.session),
			state: () => this.#state.current().state,
			files: () => {
				this.#files.advance(log, call.upTo);
				return this.#files;
			},
		};
	}

	#patchesOf({ session, host }: SessionRef): PatchList {
		const key = `${host} ${session}`;
		const known = this.#patches.get(key);
		if (known) return known;
		const made = new PatchList();
		this.#patches.set(key, made);
		return made;
	}
}

function given({ now, files, known }: Known): Partial<Moment> {
	return { ...(now === undefined ? {} : { now }), ...(files ? { files } : {}), ...(known ? { known } : {}) };
}
