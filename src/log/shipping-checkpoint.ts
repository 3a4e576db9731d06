/** What this machine knows of how far a log has been shipped, and since when and why it is not. Kept in the log's own file. */
import { asInteger, asName, asObject, parseObject } from "../base/json/read.ts";
import type { Log } from "./log.ts";

export interface Checkpoint {
	/** The log up to here was shipped, or was not meant to leave. */
	readonly seq: number;
	/** How many events the server has of it. */
	readonly n: number;
	/** When the server was last spoken to without a fault, ms since the epoch; 0: never. */
	readonly at: number;
	/** Failures up to this event were told of. */
	readonly told?: number | undefined;
	readonly failing?: Failing | undefined;
}

export interface Failing {
	readonly since: number;
	/** When it was tried last, and how often in a row it failed. */
	readonly tried: number;
	readonly times: number;
	readonly why: string;
}

const NOTHING: Checkpoint = { seq: 0, n: 0, at: 0 };

export function readCheckpoint(log: Log, target: string): Checkpoint {
	const fields = parseObject(log.meta(metaKey(target)));
	if (!fields) return NOTHING;
	const failing = asObject(fields["failing"]);
	return {
		seq: asInteger(fields["seq"]) ?? 0,
		n: asInteger(fields["n"]) ?? 0,
		at: asInteger(fields["at"]) ?? 0,
		told: asInteger(fields["told"]),
		failing: failing && {
			since: asInteger(failing["since"]) ?? 0,
			tried: asInteger(failing["tried"]) ?? 0,
			times: asInteger(failing["times"]) ?? 1,
			why: asName(failing["why"]) ?? "",
		},
	};
}

export function writeCheckpoint(log: Log, target: string, checkpoint: Checkpoint): void {
	log.setMeta(metaKey(target), JSON.stringify(checkpoint));
}

/** The same as before, and that it failed. */
export function writeFailure(log: Log, target: string, why: string, now: number): void {
	const { failing, ...rest } = readCheckpoint(log, target);
	const failed = { since: failing?.since ?? now, tried: now, times: (failing?.times ?? 0) + 1, why };
	writeCheckpoint(log, target, { ...rest, failing: failed });
}

const LONGEST_PAUSE_MS = 300_000;

/** A server that does not answer is asked more and more seldom, up to every five minutes. */
export function pauseAfter({ failing }: Checkpoint): number {
	return failing ? Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** Math.min(failing.times, 10)) : 0;
}

function metaKey(target: string): string {
	return `fleet:${target}`;
}
