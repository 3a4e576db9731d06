/**
 * A line on the terminal while a command computes for longer than a second and says nothing itself. The command's own
 * thread is busy then, so another one draws it, and only as long as the first does not answer: a command that waits for
 * events or for another program shows nothing.
 */
import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";

const QUIET_MS = 1_000;

export interface SignOptions {
	/** Of the terminal. */
	readonly fd: number;
	readonly quietMs?: number | undefined;
}

export interface SignOfLife {
	/** Takes the line away for good, before anything else is written. */
	end(): void;
}

/** What both threads look at: the beat of the busy one, who may draw, and whether something was drawn. */
const BEAT = 0;
const TURN = 1;
const DRAWN = 2;
const FREE = 0;
const ENDED = 2;

export function showSignOfLife({ fd, quietMs = QUIET_MS }: SignOptions): SignOfLife {
	const shared = new Int32Array(new SharedArrayBuffer(12));
	const beat = setInterval(() => Atomics.add(shared, BEAT, 1), quietMs / 4);
	const worker = new Worker(DRAW, { eval: true, workerData: { shared, fd, quietMs } });
	worker.on("error", () => {});
	beat.unref();
	worker.unref();
	let isEnded = false;
	return {
		end() {
			if (isEnded) return;
			isEnded = true;
			clearInterval(beat);
			// Drawing takes microseconds; afterwards nobody draws any more.
			while (Atomics.compareExchange(shared, TURN, FREE, ENDED) !== FREE);
			if (Atomics.load(shared, DRAWN) === 1) writeErased(fd);
			void worker.terminate();
		},
	};
}

const DRAW = `
const { writeSync } = require("node:fs");
const { shared, fd, quietMs } = require("node:worker_threads").workerData;
let beat = 0, since = performance.now();
setInterval(() => {
	const now = performance.now();
	const newest = Atomics.load(shared, ${BEAT});
	const silent = newest === beat && now - since > quietMs;
	if (newest !== beat) { beat = newest; since = now; }
	const drawn = Atomics.load(shared, ${DRAWN}) === 1;
	if (!silent && !drawn) return;
	if (Atomics.compareExchange(shared, ${TURN}, ${FREE}, 1) !== ${FREE}) return;
	try {
		writeSync(fd, silent ? "\\r\\u001b[2KWorking: " + Math.round((now - since) / 1000) + " s" : "\\r\\u001b[2K");
		Atomics.store(shared, ${DRAWN}, silent ? 1 : 0);
	} catch {
		// A terminal that cannot take it now.
	}
	Atomics.store(shared, ${TURN}, ${FREE});
}, quietMs / 4);
`;

function writeErased(fd: number): void {
	try {
		writeSync(fd, "\r\u001b[2K");
	} catch {
		// The terminal is gone.
	}
}
