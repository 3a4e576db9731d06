/**
 * The state now and at any event: folds a log in memory with a watermark, so that the next call folds only newer events. A new
 * runner starts from the newest valid snapshot. Never call it inside a transaction that may still be rolled back.
 */
import { BoundedMap } from "../../base/collection/bounded.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { isKnown } from "../event/check.ts";
import type { EventRecord } from "../event/types.ts";
import type { ReadQuery } from "../types.ts";
import { type Snapshot, type SnapshotSource, Snapshots, type WrittenSnapshot } from "./snapshot.ts";
import type { StateFold } from "./state-fold.ts";

/** The folds of a state, by the names of its parts. */
export type Folds<State> = { readonly [Part in keyof State]: StateFold<State[Part]> };

export interface StateLog extends SnapshotSource {
	readonly readOnly: boolean;
	read(query?: ReadQuery): Iterable<EventRecord>;
	newestSeq(): number;
	/** A test for events fetched from another machine: they are no part of the state. */
	fetched?(): (record: EventRecord) => boolean;
}

export interface StateAt<State> {
	/** The newest event that it includes. */
	readonly seq: number;
	/** Skipped events of types or versions that this build does not know. */
	readonly unknown: number;
	/** Skipped events that are malformed or lost. `verify` names them. */
	readonly malformed: number;
	/** False: it lacks events that were pruned, and no snapshot from before the prune is valid. */
	readonly complete: boolean;
	/** Belongs to the runner: do not change it, and do not keep it for long. */
	readonly state: State;
}

export interface StateRunnerOptions {
	/** Events between two snapshots, at most. */
	readonly every?: number | undefined;
	/** How many of the newest snapshots stay, beside the bases from before a prune. */
	readonly keep?: number | undefined;
	/** False: neither read nor written. */
	readonly snapshots?: boolean | undefined;
	/** True: the log gives only a part of its events, so a gap in the seqs is no loss. */
	readonly isPart?: boolean | undefined;
}

const SNAPSHOT_EVERY_EVENTS = 500;
const KEEP_SNAPSHOTS = 20;
/** Only the end of a long stretch gets snapshots: older ones would be deleted at once. */
const SNAPSHOTS_PER_CATCH_UP = 5;
/** Events in memory at once. */
const STEP_EVENTS = 256;

interface RunningState<State> {
	state: State;
	seq: number;
	unknown: number;
	malformed: number;
	complete: boolean;
	/** seq of the newest snapshot of this state. */
	snapshot: number;
}

/**
 * A state that a runner left behind when its log was closed. An agent that opens the log for every turn continues from it
 * and folds only the newer events. It counts only if the log still has its event, by chain hash, as with snapshots.
 */
interface ParkedState {
	readonly seq: number;
	/** Chain hash of the event at seq. */
	readonly hash: string;
	readonly running: unknown;
}

/** Projects that are worked on, and conversations that are led, at the same time. */
const MAX_PARKED = 16;

const parkedStates = new BoundedMap<string, ParkedState>(MAX_PARKED);

export class StateRunner<State extends object> {
	readonly snapshots: Snapshots;
	readonly #log: StateLog;
	readonly #folds: readonly (readonly [keyof State, StateFold<State[keyof State]>])[];
	readonly #every: number;
	readonly #keep: number;
	readonly #useSnapshots: boolean;
	readonly #isPart: boolean;
	#now: RunningState<State> | undefined;

	constructor(log: StateLog, folds: Folds<State>, options: StateRunnerOptions = {}) {
		this.#log = log;
		this.#folds = Object.entries(folds) as unknown as [keyof State, StateFold<State[keyof State]>][];
		this.#every = options.every ?? SNAPSHOT_EVERY_EVENTS;
		this.#keep = options.keep ?? KEEP_SNAPSHOTS;
		this.#useSnapshots = options.snapshots ?? true;
		this.#isPart = options.isPart ?? false;
		this.snapshots = new Snapshots(log, Object.fromEntries(this.#folds.map(([part, fold]) => [part, fold.version])));
	}

	/**
	 * The state after the newest event. Folds the events since the last call, at most `most` of them: where that is not all,
	 * the state is of an earlier event, and the next call continues.
	 */
	current(most = Number.POSITIVE_INFINITY): StateAt<State> {
		const newest = this.#log.newestSeq();
		// The log is shorter than the folded state: a transaction was rolled back, or the file was replaced.
		if (this.#now && this.#now.seq > newest) this.#now = undefined;
		const now = this.#now ?? (this.#useSnapshots ? this.#unparked(newest) : undefined) ?? this.#start(newest);
		// If a fold throws, some folds are ahead of others: the next call must start over.
		this.#now = undefined;
		const upTo = Math.min(newest, now.seq + most);
		this.#fold(now, upTo, { snapshots: upTo === newest && this.#useSnapshots && !this.#log.readOnly });
		this.#now = now;
		return now;
	}

	/** The state when `seq` was the newest event. */
	at(seq: number): StateAt<State> {
		const newest = this.#log.newestSeq();
		if (!Number.isSafeInteger(seq) || seq < 0 || seq > newest) {
			throw new EngineError("not-found", `There is no event ${seq}: the newest is ${newest}.`);
		}
		const running = this.#start(seq);
		this.#fold(running, seq, { snapshots: false });
		return running;
	}

	/** Writes a snapshot of the current state. `base`: kept for good, because the events before it are about to be pruned. */
	writeSnapshot(options: { readonly base?: boolean | undefined } = {}): WrittenSnapshot | undefined {
		this.current();
		const now = this.#now;
		if (!now || now.seq === 0) return undefined;
		const written = this.snapshots.write(this.#toSnapshot(now), options);
		now.snapshot = now.seq;
		this.snapshots.prune(this.#keep);
		return written;
	}

	/** Call before the log is closed, and do not use the runner again: the next one of this process continues from here. */
	park(): void {
		const now = this.#now;
		this.#now = undefined;
		if (!now?.complete || !this.#useSnapshots || this.#log.readOnly) return;
		try {
			const hash = this.#log.hashAt(now.seq);
			if (hash === undefined) return;
			parkedStates.delete(this.#parkingKey());
			parkedStates.set(this.#parkingKey(), { hash, seq: now.seq, running: now });
		} catch {
			// The file was damaged meanwhile. It must be closed all the same; the next runner reads it again.
		}
	}

	#unparked(upTo: number): RunningState<State> | undefined {
		const parked = parkedStates.get(this.#parkingKey());
		parkedStates.delete(this.#parkingKey());
		if (!parked || parked.seq > upTo || this.#log.hashAt(parked.seq) !== parked.hash) return undefined;
		// Events removed since may have been forgotten on purpose.
		for (const _pruned of this.#log.read({ after: parked.seq, upTo, types: ["Pruned"] })) return undefined;
		return parked.running as RunningState<State>;
	}

	#parkingKey(): string {
		return `${this.snapshots.folder} ${this.snapshots.versionsKey}`;
	}

	#start(upTo: number): RunningState<State> {
		const found = this.#useSnapshots ? this.snapshots.newest(upTo) : undefined;
		if (found) {
			const { seq, unknown, malformed, complete } = found;
			return { state: found.state as State, seq, unknown, malformed, complete, snapshot: seq };
		}
		const state = Object.fromEntries(this.#folds.map(([part, fold]) => [part, fold.initial()])) as State;
		return { state, seq: 0, unknown: 0, malformed: 0, complete: true, snapshot: 0 };
	}

	#fold(running: RunningState<State>, upTo: number, { snapshots }: { readonly snapshots: boolean }): void {
		if (running.seq >= upTo) return;
		const expected = upTo - running.seq;
		let folded = 0;
		const firstSnapshot = upTo - this.#every * SNAPSHOTS_PER_CATCH_UP;
		const isFetched = this.#log.fetched?.() ?? (() => false);
		let waiting: EventRecord[] = [];
		for (const record of this.#log.read({ after: running.seq, upTo, everything: true })) {
			if (!isKnown(record)) running.unknown++;
			else if (record.wrong !== undefined) running.malformed++;
			else if (!isFetched(record)) waiting.push(record);
			running.seq = record.seq;
			folded++;
			if (!this.#isPart && folded < record.seq - (upTo - expected)) running.complete = false;
			const due = record.seq - running.snapshot >= this.#every;
			const isSnapshotDue = snapshots && due && record.seq > firstSnapshot;
			if (!isSnapshotDue && waiting.length < STEP_EVENTS) continue;
			this.#step(running.state, waiting);
			waiting = [];
			if (isSnapshotDue) this.#tryWrite(running);
		}
		this.#step(running.state, waiting);
		// Only pruning makes holes in the seqs.
		if (!this.#isPart && folded < expected) running.complete = false;
		running.seq = upTo;
	}

	/** One fold after the other: running all folds for each event takes half as long again. */
	#step(state: State, records: readonly EventRecord[]): void {
		for (const [part, fold] of this.#folds) {
			for (const record of records) fold.step(state[part], record);
		}
	}

	/** A snapshot only saves time, so a failed write is ignored. */
	#tryWrite(running: RunningState<State>): void {
		running.snapshot = running.seq;
		try {
			this.snapshots.write(this.#toSnapshot(running), {});
			this.snapshots.prune(this.#keep);
		} catch {
			// Tried again at the next snapshot.
		}
	}

	#toSnapshot({ state, seq, unknown, malformed, complete }: RunningState<State>): Snapshot {
		return { state, seq, unknown, malformed, complete };
	}
}
