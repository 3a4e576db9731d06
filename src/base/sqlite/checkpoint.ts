/**
 * Keeps the WAL small. A process that writes alone checkpoints now and then, in a few milliseconds, and its next commit
 * restarts the WAL. With other readers and writers that would never restart it. Then a thread in one of the processes does,
 * off the writers' path: it moves what it can beside them, and when little is left it restarts the WAL, which they hardly
 * notice. The thread starts when the WAL is large and ends when it is small again.
 */
import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { only } from "./rows.ts";

/**
 * The WAL may grow to this many bytes before the thread starts. A restart cuts the file back to this size
 * (`journal_size_limit`), not to nothing: overwriting a file is cheaper than extending it.
 */
export const LARGE_WAL_BYTES = 3_000_000;
/** A look at the size costs a microsecond or two. */
const COMMITS_PER_LOOK = 4;
/** Places in the shared array: 1 while this process's thread runs; 1 once it must end. */
const RUNNING = 0;
const END = 1;
/** The thread ends within a checkpoint's time; one that could not start never reports. */
const MAX_END_MS = 2_000;
/** A working thread touches its mark more often than this, so one thread serves all processes and a killed one is replaced. */
const MAX_MARK_AGE_MS = 1_000;

/** SQLite's answer to a checkpoint: frames in the WAL, and how many of them are in the database now. */
interface CheckpointResult {
	readonly busy: number;
	readonly log: number;
	readonly checkpointed: number;
}

export class Checkpointer {
	readonly #path: string;
	readonly #db: DatabaseSync;
	/** Shared memory, because a loop of appends never receives an event. */
	readonly #shared = new Int32Array(new SharedArrayBuffer(8));
	#commits = 0;

	constructor(path: string, db: DatabaseSync) {
		this.#path = path;
		this.#db = db;
	}

	/** After a commit. `isAlone`: no other process has written since the last call of it. */
	committed(isAlone: () => boolean): void {
		if (++this.#commits % COMMITS_PER_LOOK !== 0) return;
		if (sizeOf(`${this.#path}-wal`) <= LARGE_WAL_BYTES || Atomics.load(this.#shared, RUNNING) === 1) return;
		if (Date.now() - modifiedAt(markOf(this.#path)) <= MAX_MARK_AGE_MS) return;
		if (!isAlone() || !this.#move()) this.#start();
	}

	/** False: another process reads or writes, and the WAL will not restart. */
	#move(): boolean {
		try {
			const { busy, log, checkpointed } = only<CheckpointResult>(this.#db.prepare("PRAGMA wal_checkpoint(PASSIVE)"));
			return busy === 0 && log === checkpointed;
		} catch {
			return false;
		}
	}

	/** Call before the database is closed: afterwards this process has no handle of the file, and its folder may be removed. */
	end(): void {
		Atomics.store(this.#shared, END, 1);
		Atomics.notify(this.#shared, END);
		Atomics.wait(this.#shared, RUNNING, 1, MAX_END_MS);
	}

	#start(): void {
		Atomics.store(this.#shared, RUNNING, 1);
		try {
			const workerData = { path: this.#path, mark: markOf(this.#path), large: LARGE_WAL_BYTES, shared: this.#shared };
			const worker = new Worker(THREAD, { eval: true, execArgv: [], workerData });
			worker.on("error", () => Atomics.store(this.#shared, RUNNING, 0));
			worker.unref();
		} catch {
			// SQLite's own checkpoints remain.
			Atomics.store(this.#shared, RUNNING, 0);
		}
	}
}

function markOf(path: string): string {
	return `${path}-checkpoint`;
}

function sizeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function modifiedAt(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * JavaScript as text, because a thread cannot start from a TypeScript file inside node_modules. RESTART blocks writers while
 * it waits for readers, at most for its timeout.
 */
const THREAD = `
const { closeSync, openSync, statSync, utimesSync } = require("node:fs");
const { DatabaseSync } = require("node:sqlite");
const { workerData } = require("node:worker_threads");
const { path, mark, large, shared } = workerData;
const size = () => statSync(path + "-wal", { throwIfNoEntry: false })?.size ?? 0;
let db;
try {
	closeSync(openSync(mark, "a", 0o600));
	db = new DatabaseSync(path, { timeout: 100 });
	for (let idle = 0; idle < 40 && Atomics.load(shared, ${END}) === 0; ) {
		const now = new Date();
		utimesSync(mark, now, now);
		if (size() <= large) idle++;
		else {
			// After a restart the next commit cuts the file back.
			let isDone = false;
			try {
				db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
				isDone = db.prepare("PRAGMA wal_checkpoint(RESTART)").get().busy === 0;
			} catch {}
			idle = isDone ? idle + 1 : 0;
		}
		Atomics.wait(shared, ${END}, 0, 25);
	}
} catch {
} finally {
	try { db?.close(); } catch {}
	Atomics.store(shared, ${RUNNING}, 0);
	Atomics.notify(shared, ${RUNNING});
}
`;
