/** How far a log has been shipped as this machine knows it, and since when and why shipping fails. Kept in the log's file. */
import { asInteger, asName, asObject, parseObject } from "../base/json/read.ts";
import type { Log } from "./log.ts";

export interface Checkpoint {
	/** Events up to this one were shipped, or stay here on purpose. */
	readonly seq: number;
	/** How many events of the log the server has. */
	readonly n: number;
	/** When shipping last succeeded, ms since the epoch; 0: never. */
	readonly at: number;
	/** Failures up to this event were shipped. */
	readonly told?: number | undefined;
	readonly failing?: Failing | undefined;
}

export interface Failing {
	readonly since: number;
	/** The last attempt, and how many in a row have failed. */
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

/** Adds a failed attempt to the checkpoint. */
export function writeFailure(log: Log, target: string, why: string, now: number): void {
	const { failing, ...rest } = readCheckpoint(log, target);
	const failed = { since: failing?.since ?? now, tried: now, times: (failing?.times ?? 0) + 1, why };
	writeCheckpoint(log, target, { ...rest, failing: failed });
}

const MAX_PAUSE_MS = 300_000;

/** Doubles with every failed attempt, up to five minutes. */
export function pauseAfter({ failing }: Checkpoint): number {
	return failing ? Math.min(MAX_PAUSE_MS, 1_000 * 2 ** Math.min(failing.times, 10)) : 0;
}

function metaKey(target: string): string {
	return `fleet:${target}`;
}
