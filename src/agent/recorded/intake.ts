/** Takes events in batches to the log and counts, per session, what was new. */
import type { NewEvent } from "../../log/event/types.ts";
import type { AppendResult } from "../../log/types.ts";

export interface SessionReport {
	readonly session: string;
	readonly cwd: string | undefined;
	readonly events: number;
	readonly messages: number;
	/** Events that the log had already. */
	readonly duplicates: number;
}

type Counts = { -readonly [K in keyof SessionReport]: SessionReport[K] };

const DEFAULT_BATCH_EVENTS = 4_000;
/** What was just written is kept in memory by the log up to about this size, for its folds and indexes. */
export const MAX_BATCH_CHARS = 1_500_000;

export class Intake {
	readonly #log: { append(events: readonly NewEvent[]): AppendResult };
	readonly #batchEvents: number;
	readonly #sessions = new Map<string, Counts>();
	#batch: NewEvent[] = [];
	#chars = 0;

	constructor(log: { append(events: readonly NewEvent[]): AppendResult }, batchEvents = DEFAULT_BATCH_EVENTS) {
		this.#log = log;
		this.#batchEvents = batchEvents;
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
		const { seqs, added } = this.#log.append(batch);
		// Seqs only grow: the new ones of a transaction are its highest.
		const oldest = [...new Set(seqs)].sort((one, other) => other - one)[added - 1] ?? Number.POSITIVE_INFINITY;
		const counted = new Set<number>();
		for (const [index, event] of batch.entries()) {
			const seq = seqs[index]!;
			this.#count(event, seq >= oldest && !counted.has(seq));
			counted.add(seq);
		}
	}

	report(): SessionReport[] {
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
