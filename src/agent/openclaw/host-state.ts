/**
 * What must outlive an engine and is no message: how far the host's transcript was read, since when the conversation
 * is the one that it is, and the account of the window. Hosts make an engine for every turn, in several processes, so it
 * is an event: the newest one counts, and it is written in the transaction of the rows that it speaks of.
 */

import { asObject, type JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import { OPENCLAW_HOST } from "./translate.ts";

const STATE = "openclaw.state";
/** Receipts and sub-agents lie between; the newest state is seldom further back. */
const USUALLY_WITHIN = [3, 50, undefined] as const;

export interface HostState {
	/** The how manieth conversation under this id: a reset keeps the id. */
	readonly nth: number;
	/** When it began, ms since the epoch; rows from before belong to the one before. */
	readonly since: number;
	/** When its reset was written down, ms since the epoch. */
	readonly resetAt?: number | undefined;
	/** The host's own mark of how far its transcript was read. */
	readonly cursor?: string | undefined;
	/** Tokens of the model's window. */
	readonly window?: number | undefined;
	/** Tokens of the provider's count that are none of ours: system prompt and tools. */
	readonly overhead?: number | undefined;
	/** Tokens of the provider's count for one of our estimate. */
	readonly factor?: number | undefined;
	/** A compaction that was put off: the budget that it must come under. */
	readonly owes?: number | undefined;
	/** When the provider's cache was touched last, as the host says; ms since the epoch. */
	readonly touchedAt?: number | undefined;
	/** Whether the agent can call our tools. */
	readonly hasTools?: boolean | undefined;
	/** seq of the newest result that was replaced in the host's transcript. */
	readonly rewritten?: number | undefined;
}

/** The host's id of a row and ours of its message. */
export type Row = readonly [entryId: string, entry: string];

const FRESH: HostState = { nth: 1, since: 0 };

export function readState({ log }: Engine, sessionId: string): HostState {
	const query = { session: sessionId, host: OPENCLAW_HOST, types: ["Custom"], order: "newest" } as const;
	for (const limit of USUALLY_WITHIN) {
		let seen = 0;
		for (const { payload } of log.read({ ...query, limit })) {
			seen++;
			if (payload["name"] === STATE) return toState(asObject(payload["data"]));
		}
		if (limit !== undefined && seen < limit) return FRESH;
	}
	return FRESH;
}

export function writeState(
	engine: Engine,
	sessionId: string,
	state: HostState,
	rows: readonly Row[],
	ts: number,
): void {
	const data = { ...state, ...(rows.length > 0 ? { rows } : {}) };
	const base = { session: sessionId, host: OPENCLAW_HOST, ts };
	engine.record([{ ...base, type: "Custom", payload: { name: STATE, data: JSON.parse(JSON.stringify(data)) } }]);
}

/** The rows that were read so far, the newest first. */
export function* readRows({ log }: Engine, sessionId: string): Generator<Row> {
	const query = { session: sessionId, host: OPENCLAW_HOST, types: ["Custom"], order: "newest" } as const;
	for (const { payload } of log.read(query)) {
		if (payload["name"] !== STATE) continue;
		const rows = asObject(payload["data"])?.["rows"];
		if (Array.isArray(rows)) yield* rows.toReversed() as Row[];
	}
}

function toState(data: JsonObject | undefined): HostState {
	const number = (name: string) => (typeof data?.[name] === "number" ? data[name] : undefined);
	const cursor = data?.["cursor"];
	return {
		nth: number("nth") ?? 1,
		since: number("since") ?? 0,
		resetAt: number("resetAt"),
		cursor: typeof cursor === "string" ? cursor : undefined,
		window: number("window"),
		overhead: number("overhead"),
		factor: number("factor"),
		owes: number("owes"),
		touchedAt: number("touchedAt"),
		rewritten: number("rewritten"),
		hasTools: typeof data?.["hasTools"] === "boolean" ? data["hasTools"] : undefined,
	};
}
