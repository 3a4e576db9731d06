/**
 * Keeps the WAL small, off the path of whoever writes. SQLite would let the writer whose commit fills the WAL move it into
 * the database, and while others write and read it never starts the WAL over. So a thread does it, in one of the
 * processes: it moves what it can beside the writers, and then, when little is left, lets it start over, in a moment that
 * they hardly notice. The thread starts when the WAL is large and ends when it is small again.
 */
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";

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

export class Checkpointer {
	readonly #path: string;
	/** Shared, for a loop of appends never sees an event. */
	readonly #shared = new Int32Array(new SharedArrayBuffer(8));
	#commits = 0;

	constructor(path: string) {
		this.#path = path;
	}

	/** After a commit. */
	committed(): void {
		if (++this.#commits % LOOK_EVERY !== 0) return;
		if (sizeOf(`${this.#path}-wal`) <= LARGE_WAL_BYTES || Atomics.load(this.#shared, RUNNING) === 1) return;
		if (Date.now() - modifiedAt(markOf(this.#path)) > AT_WORK_MS) this.#start();
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
