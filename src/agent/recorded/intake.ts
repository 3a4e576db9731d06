/** Appends events to the log in batches, and counts per session how many were new. */
import { EngineError } from "../../base/error/engine-error.ts";
import type { EventRecord, NewEvent } from "../../log/event/types.ts";
import type { Log } from "../../log/log.ts";
import type { AppendResult, ReadQuery } from "../../log/types.ts";

/** The part of a log that an import needs. */
export interface ImportTarget {
	append(events: readonly NewEvent[]): AppendResult;
	/** Stores bytes from another file of a session, such as the whole of a cut output; returns their SHA-256. */
	putBlob?(bytes: Buffer): string;
	read(query?: ReadQuery): Iterable<EventRecord>;
}

/** Packs, folds and indexes each batch while it is still in memory. */
export function importTarget(log: Log): ImportTarget {
	return {
		append: (events) => {
			const result = log.append(events, { packed: true });
			log.foldMissing();
			// In one transaction: each transaction leaves an index segment to be merged later.
			log.search.catchUp({ chars: 2 * MAX_BATCH_CHARS });
			return result;
		},
		read: (query) => log.read(query),
		putBlob: (bytes) => log.putBlob(bytes),
	};
}

export interface ImportedSession {
	readonly session: string;
	readonly cwd: string | undefined;
	readonly events: number;
	readonly messages: number;
	/** Events that the log had already. */
	readonly duplicates: number;
}

type Counts = { -readonly [K in keyof ImportedSession]: ImportedSession[K] };

const DEFAULT_BATCH_EVENTS = 4_000;
/** The log keeps about this much of the newest text in memory, for its folds and indexes. */
const MAX_BATCH_CHARS = 1_500_000;

export class Intake {
	readonly #log: Pick<ImportTarget, "append">;
	readonly #batchEvents: number;
	readonly #sessions = new Map<string, Counts>();
	#batch: NewEvent[] = [];
	#chars = 0;

	readonly #onRefused: (event: NewEvent, error: EngineError) => void;

	/** `onRefused`: called for an event that the log does not take, such as one without a session. */
	constructor(
		log: Pick<ImportTarget, "append">,
		batchEvents = DEFAULT_BATCH_EVENTS,
		onRefused: (event: NewEvent, error: EngineError) => void = (_, error) => {
			throw error;
		},
	) {
		this.#log = log;
		this.#batchEvents = batchEvents;
		this.#onRefused = onRefused;
	}

	add(events: readonly NewEvent[]): void {
		for (const event of events) {
			this.#batch.push(event);
			this.#chars += event.raw?.length ?? 200;
		}
		if (this.#batch.length >= this.#batchEvents || this.#chars >= MAX_BATCH_CHARS) this.flush();
	}

	flush(): void {
		const batch = this.#batch;
		if (batch.length === 0) return;
		this.#batch = [];
		this.#chars = 0;
		this.#append(batch);
	}

	/** The log takes a batch whole or not at all. Halves find the event that it refuses, and the others get in. */
	#append(batch: readonly NewEvent[]): void {
		let result: AppendResult;
		try {
			result = this.#log.append(batch);
		} catch (error) {
			if (!(error instanceof EngineError) || error.code !== "bad-event") throw error;
			const [only] = batch;
			const half = batch.length >> 1;
			if (only && half === 0) this.#onRefused(only, error);
			else for (const part of [batch.slice(0, half), batch.slice(half)]) this.#append(part);
			return;
		}
		const { seqs, added } = result;
		// Seqs only grow, so the new ones are the highest of the batch.
		const oldestNew = [...new Set(seqs)].sort((one, other) => other - one)[added - 1] ?? Number.POSITIVE_INFINITY;
		const counted = new Set<number>();
		for (const [index, event] of batch.entries()) {
			const seq = seqs[index] ?? -1;
			this.#count(event, seq >= oldestNew && !counted.has(seq));
			counted.add(seq);
		}
	}

	/** In the order of their first event. */
	report(): ImportedSession[] {
		return [...this.#sessions.values()];
	}

	#count(event: NewEvent, isNew: boolean): void {
		const known = this.#sessions.get(event.session);
		const counts = known ?? { session: event.session, cwd: undefined, events: 0, messages: 0, duplicates: 0 };
		if (!known) this.#sessions.set(event.session, counts);
		if (event.type === "SessionStarted") counts.cwd ??= (event.payload as { cwd?: string }).cwd || undefined;
		if (!isNew) counts.duplicates++;
		else counts.events++;
		if (isNew && event.type === "Message") counts.messages++;
	}
}
