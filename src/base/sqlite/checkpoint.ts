/**
 * Keeps the WAL small. A process that writes alone moves it into the database itself, now and then, in a few milliseconds:
 * its next commit starts the WAL over. Where others write and read too, the WAL would never start over so. Then a thread
 * does it, in one of the processes, off the path of whoever writes: it moves what it can beside the writers, and then,
 * when little is left, lets it start over, in a moment that they hardly notice. The thread starts when the WAL is large
 * and ends when it is small again.
 */
import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { one } from "./rows.ts";

/**
 * The WAL may grow to this many bytes before the thread starts. Whoever starts it over cuts the file back to this size
 * (`journal_size_limit`), not to nothing: to write over a file is cheaper than to make it longer.
 */
export const LARGE_WAL_BYTES = 3_000_000;
/** Commits between two looks at the size: a look costs a microsecond or two. */
const LOOK_EVERY = 4;
/** In the shared numbers: 1 while the thread of this process runs, and 1 when it shall end. */
const RUNNING = 0;
const END = 1;
/** The thread ends within a checkpoint's time. One that cannot start would never. */
const END_WITHIN_MS = 2_000;
/** A thread that is at work says so this often, so that one is enough for all processes; one that was killed does not. */
const AT_WORK_MS = 1_000;

/** What SQLite says of a checkpoint: frames in the WAL, and those of them that are in the database now. */
interface Moved {
	readonly busy: number;
	readonly log: number;
	readonly checkpointed: number;
}

export class Checkpointer {
	readonly #path: string;
	readonly #db: DatabaseSync;
	/** Shared, for a loop of appends never sees an event. */
	readonly #shared = new Int32Array(new SharedArrayBuffer(8));
	#commits = 0;

	constructor(path: string, db: DatabaseSync) {
		this.#path = path;
		this.#db = db;
	}

	/** After a commit. `isAlone`: nobody else has written since it was asked last. */
	committed(isAlone: () => boolean): void {
		if (++this.#commits % LOOK_EVERY !== 0) return;
		if (sizeOf(`${this.#path}-wal`) <= LARGE_WAL_BYTES || Atomics.load(this.#shared, RUNNING) === 1) return;
		if (Date.now() - modifiedAt(markOf(this.#path)) <= AT_WORK_MS) return;
		if (!isAlone() || !this.#move()) this.#start();
	}

	/** False: somebody reads or writes there, and the WAL will not start over. */
	#move(): boolean {
		try {
			const { busy, log, checkpointed } = one<Moved>(this.#db.prepare("PRAGMA wal_checkpoint(PASSIVE)"))!;
			return busy === 0 && log === checkpointed;
		} catch {
			return false;
		}
	}

	/** Before the log is closed: afterwards nothing of ours has the file open, and its folder may be removed. */
	end(): void {
		Atomics.store(this.#shared, END, 1);
		Atomics.notify(this.#shared, END);
		Atomics.wait(this.#shared, RUNNING, 1, END_WITHIN_MS);
	}

	#start(): void {
		Atomics.store(this.#shared, RUNNING, 1);
		try {
			const workerData = { path: this.#path, mark: markOf(this.#path), large: LARGE_WAL_BYTES, shared: this.#shared };
			const worker = new Worker(THREAD, { eval: true, execArgv: [], workerData });
			worker.on("error", () => Atomics.store(this.#shared, RUNNING, 0));
			worker.unref();
		} catch {
			// Without it SQLite's own checkpoints are left.
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
 * JavaScript, as text: a thread cannot be started from a TypeScript file inside node_modules. RESTART keeps writers out
 * while it waits for readers, at most as long as its timeout.
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
			// Once it is done, the file is cut back by the next commit, whenever that comes.
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
