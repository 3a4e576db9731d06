/**
 * Draws a line on the terminal while a command computes for longer than a second without printing anything. The command's
 * own thread is busy, so another thread draws, and only while the first does not respond: a command that waits for events
 * or for another program shows nothing.
 */
import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";

const QUIET_MS = 1_000;

export interface BusyIndicator {
	/** Erases the line for good, before anything else is written. */
	end(): void;
}

/** Cells that both threads share: the busy thread's heartbeat, whose turn it is to draw, and whether a line is drawn. */
const BEAT = 0;
const TURN = 1;
const DRAWN = 2;
const FREE = 0;
const ENDED = 2;

/** `fd`: the terminal's file descriptor. */
export function showWhenBusy(fd: number): BusyIndicator {
	const shared = new Int32Array(new SharedArrayBuffer(12));
	const beat = setInterval(() => Atomics.add(shared, BEAT, 1), QUIET_MS / 4);
	const worker = new Worker(DRAW, { eval: true, workerData: { shared, fd } });
	worker.on("error", () => {});
	beat.unref();
	worker.unref();
	let isEnded = false;
	return {
		end() {
			if (isEnded) return;
			isEnded = true;
			clearInterval(beat);
			// Drawing takes microseconds, so this wait is short. Then drawing is over.
			while (Atomics.compareExchange(shared, TURN, FREE, ENDED) !== FREE);
			if (Atomics.load(shared, DRAWN) === 1) writeErased(fd);
			void worker.terminate();
		},
	};
}

const DRAW = `
const { writeSync } = require("node:fs");
const { shared, fd } = require("node:worker_threads").workerData;
let beat = 0, since = performance.now();
setInterval(() => {
	const now = performance.now();
	const newest = Atomics.load(shared, ${BEAT});
	const silent = newest === beat && now - since > ${QUIET_MS};
	if (newest !== beat) { beat = newest; since = now; }
	const drawn = Atomics.load(shared, ${DRAWN}) === 1;
	if (!silent && !drawn) return;
	if (Atomics.compareExchange(shared, ${TURN}, ${FREE}, 1) !== ${FREE}) return;
	try {
		writeSync(fd, silent ? "\\r\\u001b[2KWorking: " + Math.round((now - since) / 1000) + " s" : "\\r\\u001b[2K");
		Atomics.store(shared, ${DRAWN}, silent ? 1 : 0);
	} catch {
		// The terminal cannot take it now.
	}
	Atomics.store(shared, ${TURN}, ${FREE});
}, ${QUIET_MS / 4});
`;

function writeErased(fd: number): void {
	try {
		writeSync(fd, "\r\u001b[2K");
	} catch {
		// The terminal is gone.
	}
}
