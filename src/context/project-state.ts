/** All state that is folded in memory for a project: one runner, one series of snapshots. */

import { join } from "node:path";
import { BoundedMap } from "../base/collection/bounded.ts";
import { sha256 } from "../base/hash/sha256.ts";
import { GUARD_FOLDS, type GuardState } from "../guard/guard.ts";
import type { EventRecord } from "../log/event/types.ts";
import {
	type Folds,
	type StateAt,
	type StateLog,
	StateRunner,
	type StateRunnerOptions,
} from "../log/fold/state-runner.ts";
import type { Log } from "../log/log.ts";
import { type SessionRef, sessionKey } from "../log/session-ref.ts";
import type { ReadQuery } from "../log/types.ts";
import { type OwedState, owedFold } from "../state/memory/owed-fold.ts";
import { rememberedFold } from "../state/memory/remembered-fold.ts";
import { notesFold } from "../state/memory/session/notes-fold.ts";
import { type DueState, dueFold } from "../state/memory/session/update-due-fold.ts";
import { toldFold } from "../state/memory/told-fold.ts";
import type { Scopes } from "../state/session/scope.ts";
import { threadFold } from "../state/thread/thread-fold.ts";
import { pathFold } from "../state/work/path-fold.ts";
import { touchFold } from "../state/work/touch-fold.ts";
import { type WholeLog, wholeLog } from "../state/work/whole-log.ts";
import { WORK_FOLDS } from "../state/work/work-state.ts";
import { type ReportedState, reportedFold } from "./cache/reported-fold.ts";
import { type BasePatchState, basePatchFold } from "./patch/base-patch-fold.ts";
import { type OpenReadingState, openReadingFold } from "./seal/open-reading-fold.ts";
import { type PauseState, pauseFold } from "./seal/pause-fold.ts";
import { type RereadState, rereadFold } from "./seal/reread-fold.ts";
import type { SeedState } from "./section/seed.ts";

export interface ProjectState extends SeedState {
	readonly rereads: RereadState;
	readonly openReading: OpenReadingState;
	readonly pauses: PauseState;
	/** Sessions with patches of more than messages. */
	readonly basePatches: BasePatchState;
	/** Events since each SESSION.md was written. */
	readonly due: DueState;
	/** Sessions that are still to be consolidated. */
	readonly owed: OwedState;
	/** Facts that providers reported. */
	readonly reported: ReportedState;
	/** The files that each session knows: the guard's record. */
	readonly seen: GuardState["files"];
	readonly verdicts: GuardState["verdicts"];
	readonly order: GuardState["order"];
	readonly loop: GuardState["loop"];
}

/** The folds that a seed is rendered from. */
const SEED_FOLDS: Folds<SeedState> = {
	...WORK_FOLDS,
	touches: touchFold,
	paths: pathFold,
	notes: notesFold,
	remembered: rememberedFold,
	thread: threadFold,
	told: toldFold,
};

export const PROJECT_FOLDS: Folds<ProjectState> = {
	...SEED_FOLDS,
	due: dueFold,
	owed: owedFold,
	rereads: rereadFold,
	openReading: openReadingFold,
	pauses: pauseFold,
	basePatches: basePatchFold,
	reported: reportedFold,
	seen: GUARD_FOLDS.files,
	verdicts: GUARD_FOLDS.verdicts,
	order: GUARD_FOLDS.order,
	loop: GUARD_FOLDS.loop,
};

/** Pruned events are derived again where possible; a whole log may add more, from archives. */
export function projectState(log: StateLog | WholeLog, options: StateRunnerOptions = {}): StateRunner<ProjectState> {
	return new StateRunner<ProjectState>("recalled" in log ? log : wholeLog(log), PROJECT_FOLDS, options);
}

/** A look at the past reads the state of everything. A part needs its newest snapshot: if that is damaged, it is folded again. */
const KEPT_OF_PART = 1;
/** Conversations that one process leads at a time. */
const MAX_SCOPED = 64;

/** The state of everything, and the state that each session may know. */
export class ProjectStates {
	/** Of all events: for the user, and for the guard, which judges files. Never for a model's context. */
	readonly all: StateRunner<ProjectState>;
	readonly #log: Log;
	readonly #scopes: Scopes;
	readonly #scoped = new BoundedMap<string, StateRunner<ProjectState>>(MAX_SCOPED);

	constructor(log: Log, scopes: Scopes) {
		this.all = projectState(log);
		this.#log = log;
		this.#scopes = scopes;
	}

	/**
	 * The state that a session may know: its own where it has an owner, else that of all sessions without one. The log's other
	 * events never reach its folds.
	 */
	of({ session, host }: SessionRef): StateAt<ProjectState> {
		const isOwned = this.#scopes.isOwned({ session, host });
		if (!isOwned && !this.#scopes.hasOwned()) return this.all.current();
		const key = isOwned ? sessionKey({ session, host }) : "project";
		const known = this.#scoped.get(key) ?? this.#make(key, isOwned ? { session, host } : undefined);
		this.#scoped.set(key, known);
		return known.current();
	}

	park(): void {
		for (const runner of [this.all, ...this.#scoped.values()]) runner.park();
	}

	/** `only` undefined: all sessions without an owner. */
	#make(key: string, only: SessionRef | undefined): StateRunner<ProjectState> {
		const log = this.#log;
		const whole = wholeLog(log);
		const read = (query: ReadQuery = {}): Iterable<EventRecord> => {
			if (!only) return Iterator.from(whole.read(query)).filter((record) => !this.#scopes.isOwned(record));
			if (!isPruned(log)) return log.read({ ...query, ...only });
			const isAsked = ({ session, host }: EventRecord) => session === only.session && host === only.host;
			return Iterator.from(whole.read(query)).filter(isAsked);
		};
		const part: StateLog = {
			read,
			readOnly: log.readOnly,
			// Below the folder of the snapshots, so that everything that drops those drops these.
			folder: join(log.folder, "snapshots", sha256(key).slice(0, 16)),
			newestSeq: () => log.newestSeq(),
			hashAt: (seq) => log.hashAt(seq),
			fetched: () => log.fetched(),
		};
		return new StateRunner<ProjectState>(part, PROJECT_FOLDS, { isPart: true, keep: KEPT_OF_PART });
	}
}

function isPruned(log: Log): boolean {
	for (const _pruned of log.read({ types: ["Pruned"], limit: 1 })) return true;
	return false;
}

/** The guard's part of it. */
export function guardState({ seen, verdicts, order, loop }: ProjectState): GuardState {
	return { files: seen, verdicts, order, loop };
}
