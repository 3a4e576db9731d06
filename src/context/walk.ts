/**
 * Walks a recorded session request by request, as the planner would have made each: with the state, the files and the
 * clock of that moment. Its own seals and summaries stay in memory. `weft context` walks to one request, replay to all
 * of them; nothing is written.
 */

import type { Prices } from "../base/tokens/prices.ts";
import type { EventRecord } from "../log/event/types.ts";
import { logOf, logUpTo, logWithMade, type ReadableLog } from "../log/fold/partial-log.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { sessionKey } from "../log/session-ref.ts";
import { compact } from "../state/history/compact.ts";
import { ScratchHistory } from "../state/history/scratch-history.ts";
import type { HistorySettings } from "../state/history/types.ts";
import { placeOf } from "../state/session/session-state.ts";
import type { FileSource } from "../state/work/file-source.ts";
import { RecordedFiles } from "../state/work/recorded-files.ts";
import { wholeLog } from "../state/work/whole-log.ts";
import { modeOf } from "./mode.ts";
import type { RecordedCall } from "./model-calls.ts";
import type { ModeName, Moment, PlanSettings } from "./moment.ts";
import { type Path, type PathOptions, PathReader } from "./path.ts";
import { type OpeningRole, type Plan, type PlannedSeal, type PlanRequest, plan, sealDue } from "./plan.ts";
import { projectState } from "./project-state.ts";
import { sealAccount } from "./seal/rule.ts";
import { PatchList } from "./session-patches.ts";

/** When a request was made, as far as the log shows: when the newest entry of its path was written. */
export function recordedClock(log: Log, leaf: number | undefined): number {
	return (leaf === undefined ? undefined : log.get(leaf)?.ts) ?? 0;
}

export interface WalkOptions {
	readonly log: Log;
	readonly settings: PlanSettings;
	readonly prices: Prices;
	/** How the agent of these sessions shows the text that opens an epoch. */
	readonly openingRole?: OpeningRole | undefined;
	/** How messages that leave are summarised. */
	readonly summaries?: Partial<HistorySettings> | undefined;
	/** The sessions whose events count; by default all. Events of others then cost nothing. */
	readonly sessions?: readonly string[] | undefined;
	/** False: tool results as recorded. By default limited as weft would have limited them, where weft plans. */
	readonly enters?: boolean | undefined;
	/** Several walks over one log can share a reader. */
	readonly reader?: PathReader | undefined;
}

export interface PlannedRequest {
	readonly path: Path;
	readonly plan: Plan;
}

/** The agent's compactions that count in a mode: our modes seal in their place. */
const COMPACTIONS: Readonly<Record<ModeName, PathOptions["compactions"]>> = {
	woven: "none",
	warp: "none",
	lossless: "none",
	off: "recorded",
	host: "host",
};

/** Facts that are better known than from the log: the real clock, the disk, the project's folder. */
export interface PresentFacts {
	readonly now?: number | undefined;
	readonly files?: (() => FileSource) | undefined;
	readonly known?: (() => FileSource) | undefined;
	readonly root?: string | undefined;
}

export class Walk {
	readonly #options: WalkOptions;
	readonly #settings: PlanSettings;
	readonly #scratch: ScratchHistory;
	readonly #reader: PathReader;
	/** Entry numbers are unique in the log: one list serves all sessions. */
	readonly #patches = new PatchList();
	readonly #roots = new Map<string, string>();
	readonly #files = new RecordedFiles();
	readonly #state;
	readonly #events: ReadableLog;
	/** Accounts of its own seals that the state has not folded yet: the rule learns from them, as it does live. */
	readonly #accounts: EventRecord[] = [];
	#upTo = 0;
	#seals = 0;

	constructor(options: WalkOptions) {
		this.#options = options;
		const { seal } = options.settings;
		// A walk asks what seals would have saved at these prices, also where the model cost nothing.
		this.#settings = { ...options.settings, seal: seal === "auto" ? "thrift" : seal };
		this.#scratch = new ScratchHistory(options.log);
		this.#reader = options.reader ?? new PathReader(this.#scratch);
		const { log, sessions } = options;
		this.#events = sessions ? logOf(log, sessions) : log;
		const upTo = () => this.#upTo;
		// A snapshot counts all sessions in.
		const events = logWithMade(wholeLog(logUpTo(log, upTo, sessions)), "Seal", this.#accounts);
		this.#state = projectState(events, { snapshots: sessions === undefined });
		this.#scratch.catchUp();
	}

	/** How often a text replaced raw messages. */
	get seals(): number {
		return this.#seals;
	}

	/** Calls must come in the order of the log. */
	async request(call: RecordedCall, known: PresentFacts = {}): Promise<PlannedRequest> {
		const { summaries } = this.#options;
		const settings = this.#settings;
		const { session, leaf } = call;
		this.#upTo = call.upTo;
		this.#scratch.upTo = call.upTo;
		// The log of a scripted agent grows while it is walked.
		this.#scratch.catchUp();
		const path = this.#pathTo(session, leaf);
		const moment = this.#momentOf(path, call, known);
		const asked: PlanRequest = { openingRole: this.#options.openingRole };
		const { first } = sealDue(moment, settings, asked);
		const keepFrom = path.messages[first]?.seq;
		if (first > 0 && keepFrom !== undefined && modeOf(settings.mode).summarises) {
			const now = () => moment.now;
			await compact(this.#scratch, { session, leaf, keepFrom, settings: { ...summaries, minMessages: 1 }, now });
		}
		const planned = plan(moment, settings, asked);
		if (planned.seal && leaf !== undefined) {
			const { transform, seed } = planned.seal;
			this.#patches.add(leaf, { seq: call.upTo, transform, sections: seed.sections, parts: seed.items });
			this.#seals++;
			this.#account(planned.seal, session, moment.now);
		}
		return { path, plan: planned };
	}

	/** As the log would have it. The contexts of `warp` have no account, and a host keeps none. */
	#account(seal: PlannedSeal, { session, host }: SessionRef, ts: number): void {
		const { mode } = this.#settings;
		if (mode === "warp" || mode === "host") return;
		const entry = `seal ${this.#seals}`;
		const payload = sealAccount(seal, mode);
		const place = { seq: this.#upTo, id: entry, origin: "", session, host, ts, cause: null, entry };
		this.#accounts.push({ ...place, type: "Seal", v: 1, payload });
	}

	#pathTo(session: SessionRef, leaf: number | undefined): Path {
		const { mode } = this.#options.settings;
		const compactions = COMPACTIONS[mode];
		const enters = this.#options.enters ?? (mode !== "host" && mode !== "off");
		return this.#reader.read({ session, leaf, patches: this.#patches, compactions, enters });
	}

	#momentOf(path: Path, call: RecordedCall, known: PresentFacts): Moment {
		const { prices, log } = this.#options;
		const files = () => {
			this.#files.advance(this.#events, call.upTo);
			return this.#files;
		};
		return {
			path,
			prices,
			model: call.model,
			history: this.#scratch,
			now: known.now ?? recordedClock(log, call.leaf),
			root: known.root ?? this.#rootOf(path.session),
			state: () => this.#state.current().state,
			files: known.files ?? files,
			known: known.known,
		};
	}

	#rootOf(of: SessionRef): string {
		const key = sessionKey(of);
		const root = this.#roots.get(key) ?? placeOf(this.#options.log, of).root;
		this.#roots.set(key, root);
		return root;
	}
}
