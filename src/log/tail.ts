import { type FSWatcher, watch } from "node:fs";
import type { EventRecord } from "./event/types.ts";
import type { ReadQuery } from "./types.ts";

/** A file watcher can miss a change, as on network file systems: look anyway, this often. */
const LOOK_EVERY_MS = 1_000;

export interface TailOptions extends Omit<ReadQuery, "upTo" | "limit" | "order"> {
	readonly signal?: AbortSignal | undefined;
}

/**
 * Events from any process as they come: first those after `after`, then the appended ones. Sleeps until the folder changes,
 * ends when the signal aborts.
 */
export async function* tail(
	folder: string,
	read: (query: ReadQuery) => Iterable<EventRecord>,
	newestSeq: () => number,
	options: TailOptions,
): AsyncGenerator<EventRecord> {
	const { signal, ...query } = options;
	const bell = new FolderBell(folder, signal);
	let after = query.after ?? newestSeq();
	try {
		while (!signal?.aborted) {
			bell.reset();
			const upTo = newestSeq();
			if (upTo > after) {
				for (const record of read({ ...query, after, upTo })) {
					yield record;
					if (signal?.aborted) return;
				}
				after = upTo;
			}
			await bell.rung();
		}
	} finally {
		bell.close();
	}
}

/** Rings when the folder changes, when a second has passed, or when the signal aborts. */
class FolderBell {
	readonly #watcher: FSWatcher | undefined;
	readonly #signal: AbortSignal | undefined;
	readonly #ring = () => {
		this.#dirty = true;
		this.#wake?.();
	};
	#dirty = false;
	#wake: (() => void) | undefined;

	constructor(folder: string, signal: AbortSignal | undefined) {
		this.#signal = signal;
		signal?.addEventListener("abort", this.#ring);
		try {
			this.#watcher = watch(folder, this.#ring);
			this.#watcher.on("error", () => {});
		} catch {
			this.#watcher = undefined;
		}
	}

	reset(): void {
		this.#dirty = false;
	}

	async rung(): Promise<void> {
		if (this.#dirty || this.#signal?.aborted) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#wake = resolve;
		const timer = setTimeout(resolve, LOOK_EVERY_MS);
		await promise;
		clearTimeout(timer);
		this.#wake = undefined;
	}

	close(): void {
		this.#signal?.removeEventListener("abort", this.#ring);
		this.#watcher?.close();
	}
}
