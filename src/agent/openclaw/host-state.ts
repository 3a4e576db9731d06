/**
 * State of a session, besides its messages, that must outlive an engine: how far the host's transcript was read, when the
 * conversation began, and the account of the window. A host makes an engine for each turn, in several processes, so this
 * state is an event. The newest one counts, and it is written in the same transaction as the rows that it lists. The receipt of a
 * turn may hold it.
 */

import { asObject, type JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import { TURN_RECEIPT } from "../../view/openclaw-use.ts";
import { OPENCLAW_HOST } from "./translate.ts";

const STATE = "openclaw.state";
/** Only receipts and sub-agents lie between, so the newest state is rarely further back. */
const LIMITS_TO_TRY = [3, 50, undefined] as const;

export interface HostState {
	/** Number of the conversation under this id, from 1: a reset keeps the id. */
	readonly nth: number;
	/** When it began, ms since the epoch; older rows belong to the conversation before. */
	readonly since: number;
	/** When its reset was recorded, ms since the epoch. */
	readonly resetAt?: number | undefined;
	/** How far the host's transcript was read. Opaque: the host makes it. */
	readonly cursor?: string | undefined;
	/** Tokens of the model's window. */
	readonly window?: number | undefined;
	/** Tokens that the provider counts beyond our messages: system prompt and tools. */
	readonly overhead?: number | undefined;
	/** Tokens that the provider counts for one of our estimate. */
	readonly factor?: number | undefined;
	/** Budget that a deferred compaction must reach. */
	readonly owes?: number | undefined;
	/** When the provider's cache was last touched, by the host's report; ms since the epoch. */
	readonly touchedAt?: number | undefined;
	/** How long the provider keeps its cache, in the host's word. */
	readonly retention?: string | undefined;
	/** True: the agent can call our tools. */
	readonly hasTools?: boolean | undefined;
	/** When something before a turn's answers last changed within that turn, ms since the epoch. */
	readonly displacedAt?: number | undefined;
	/** True: the newest turn was tried again after a compaction. */
	readonly isRetried?: boolean | undefined;
	/** seq of the newest result that weft replaced in the host's transcript. */
	readonly rewritten?: number | undefined;
}

/** The host's id of a transcript row, and our name of its message. */
export type RowIds = readonly [entryId: string, entry: string];

const FRESH: HostState = { nth: 1, since: 0 };

/** The log's name of a conversation: each reset begins a session of its own, with a number after the host's id. */
export function sessionName(sessionId: string, nth: number): string {
	return nth === 1 ? sessionId : `${sessionId}~${nth}`;
}

export function readState({ log }: Engine, sessionId: string): HostState {
	const query = { session: sessionId, host: OPENCLAW_HOST, types: ["Custom"], order: "newest" } as const;
	for (const limit of LIMITS_TO_TRY) {
		let seen = 0;
		for (const { payload } of log.read({ ...query, limit })) {
			seen++;
			const data = stateIn(payload);
			if (data) return toState(data);
		}
		if (limit !== undefined && seen < limit) return FRESH;
	}
	return FRESH;
}

export function writeState(
	engine: Engine,
	sessionId: string,
	state: HostState,
	rows: readonly RowIds[],
	ts: number,
): void {
	const base = { session: sessionId, host: OPENCLAW_HOST, ts };
	engine.record([{ ...base, type: "Custom", payload: { name: STATE, data: stateData(state, rows) } }]);
}

/** A state as an event holds it. */
export function stateData(state: HostState, rows: readonly RowIds[]): JsonObject {
	return JSON.parse(JSON.stringify({ ...state, ...(rows.length > 0 ? { rows } : {}) }));
}

function stateIn({ name, data }: Readonly<Record<string, unknown>>): JsonObject | undefined {
	if (name === STATE) return asObject(data) ?? {};
	return name === TURN_RECEIPT ? asObject(asObject(data)?.["state"]) : undefined;
}

/** All rows that were read so far, newest first. */
export function* readRows({ log }: Engine, sessionId: string): Generator<RowIds> {
	const query = { session: sessionId, host: OPENCLAW_HOST, types: ["Custom"], order: "newest" } as const;
	for (const { payload } of log.read(query)) {
		const rows = stateIn(payload)?.["rows"];
		if (Array.isArray(rows)) yield* rows.toReversed() as RowIds[];
	}
}

function toState(data: JsonObject | undefined): HostState {
	const number = (name: string) => (typeof data?.[name] === "number" ? data[name] : undefined);
	const cursor = data?.["cursor"];
	const retention = data?.["retention"];
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
		displacedAt: number("displacedAt"),
		rewritten: number("rewritten"),
		retention: typeof retention === "string" ? retention : undefined,
		isRetried: data?.["isRetried"] === true ? true : undefined,
		hasTools: typeof data?.["hasTools"] === "boolean" ? data["hasTools"] : undefined,
	};
}
