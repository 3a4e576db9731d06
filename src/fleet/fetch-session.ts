/**
 * Brings a session of another machine into the local log, with its blobs and under its own origin: it can then be read, replayed
 * and resumed as if it had been made here. Every event is proved by the fleet's chain first. Fetching again adds new events.
 */
import { ownValue } from "../base/collection/own-value.ts";
import { EngineError } from "../base/error/engine-error.ts";
import { asInteger, asObject } from "../base/json/read.ts";
import type { AppendableEvent } from "../log/append.ts";
import type { AnyPayload } from "../log/event/types.ts";
import { markFetched } from "../log/fetched-sessions.ts";
import type { Log } from "../log/log.ts";
import { logId } from "../log/retention/archive.ts";
import { KnownIds } from "../log/retention/restore.ts";
import { fleetHash } from "./chain.ts";
import type { FleetConnection } from "./connection.ts";
import { countRemoved, type FleetSession } from "./find-session.ts";
import { type FleetRecord, recordOf } from "./read-events.ts";
import { SHIPPER_COLUMNS } from "./shipper.ts";

const STEP_EVENTS = 500;

interface FetchCounts {
	readonly events: number;
	readonly added: number;
	readonly blobs: number;
	/** Blobs that the fleet does not have: they were lost where the session was made. */
	readonly missing: number;
	/** Malformed events, which were not taken. */
	readonly malformed: number;
}

const NOTHING: FetchCounts = { events: 0, added: 0, blobs: 0, missing: 0, malformed: 0 };

export interface Fetched extends FetchCounts {
	/** Events that an owner removed from the fleet. */
	readonly removed: number;
}

/** `logs`: where the session began, and where it continued. */
export async function fetchSession(
	connection: FleetConnection,
	log: Log,
	logs: readonly [FleetSession, ...FleetSession[]],
	{ isOwn = false }: { readonly isOwn?: boolean } = {},
): Promise<Fetched> {
	const { session: name } = logs[0];
	// By its name too: a machine that got another role has an origin of its own there.
	const own = logId(log);
	const others = logs.filter((each) => each.origin !== log.options.origin && each.log !== own);
	if (others.length === 0) {
		throw new EngineError(
			"usage",
			`Session ${name} was made on this machine, in this or another checkout of ${logs[0].project}. There is nothing to fetch. 'weft sessions --all' shows where it is.`,
		);
	}
	const [known] = log.read({ session: name, types: ["Message", "Entry"], limit: 1 });
	if (known && !logs.some(({ origin }) => origin === known.origin)) {
		throw new EngineError(
			"refused",
			`This log has another session ${name}. weft does not mix the two. 'weft fleet log --session ${name}' shows the other one.`,
		);
	}
	// Before the first event, so that no fold ever takes the session for our own.
	const isRebuildNeeded = others.map((session) => markFetched(log, session, { isOwn })).some(Boolean);
	let sum = NOTHING;
	for (const session of others) sum = addTaken(sum, await fetchFrom(connection, log, session));
	if (isRebuildNeeded) log.rebuild();
	return { ...sum, removed: await countRemoved(connection, logs) };
}

async function fetchFrom(connection: FleetConnection, log: Log, session: FleetSession): Promise<FetchCounts> {
	let sum = NOTHING;
	const places: LocalPlaces = new Map();
	const known = new KnownIds(log);
	for (let n = 0; ; ) {
		const rows = await readProved(connection, session, n);
		const last = rows.at(-1);
		if (!last) return sum;
		n = last.n;
		// The shipper may have written anything: skips malformed events.
		const sound = rows.filter(({ wrong }) => wrong === undefined);
		const blobs = await fetchBlobs(connection, log, sound);
		const added = appendFetched(
			log,
			// The log itself never writes an event with an entry twice.
			sound.filter(({ entry, id }) => entry !== null || !known.has(id)),
			places,
		);
		sum = addTaken(sum, { ...blobs, added, events: rows.length, malformed: rows.length - sound.length });
	}
}

function addTaken(one: FetchCounts, other: FetchCounts): FetchCounts {
	return {
		events: one.events + other.events,
		added: one.added + other.added,
		blobs: one.blobs + other.blobs,
		missing: one.missing + other.missing,
		malformed: one.malformed + other.malformed,
	};
}

/** Local seqs of fetched events, by their seq in the other log. */
type LocalPlaces = Map<number, { readonly entry: string | null; readonly type: string; readonly seq: number }>;

/** A cause is a seq of the other log. Here it becomes the message's entry, or the local seq. */
function appendFetched(log: Log, records: readonly FleetRecord[], places: LocalPlaces): number {
	let added = 0;
	let waiting: { readonly record: FleetRecord; readonly event: AppendableEvent }[] = [];
	const write = () => {
		const result = log.append(
			waiting.map(({ event }) => event),
			{ packed: true, lostBlobs: "take" },
		);
		added += result.added;
		for (const [at, { record }] of waiting.entries()) {
			const seq = result.seqs[at];
			if (seq !== undefined) places.set(record.seq, { entry: record.entry, type: record.type, seq });
		}
		waiting = [];
	};
	for (const record of records) {
		const { id, origin, session, host, ts, type, v, entry, cause } = record;
		if (ownValue(SEQS_OF, type)) write();
		const { text, payload } = translated(record, places);
		const near = cause === null ? undefined : waiting.find((each) => each.record.seq === cause)?.record;
		const named = near ?? (cause === null ? undefined : places.get(cause));
		const message = named?.type === "Message" ? named.entry : null;
		if (near && message === null) write();
		const own = message !== null ? { message } : cause === null ? undefined : places.get(cause)?.seq;
		waiting.push({
			record,
			event: { id, origin, session, host, ts, type, v, payload, text, entry: entry ?? undefined, cause: own },
		});
	}
	write();
	return added;
}

/** Rewrites payloads that name events by seq. */
const SEQS_OF: Readonly<
	Record<string, (payload: AnyPayload, here: (seq: number) => number | undefined) => AnyPayload>
> = {
	Decision: ({ supersedes, ...rest }, here) => {
		const seq = asInteger(supersedes);
		const replaced = seq === undefined ? undefined : here(seq);
		return replaced === undefined ? rest : { ...rest, supersedes: replaced };
	},
	Summary: (payload, here) => {
		const messages = asObject(payload["messages"]) ?? {};
		const [first, last] = [asInteger(messages["first"]), asInteger(messages["last"])];
		const [from, to] = [first === undefined ? undefined : here(first), last === undefined ? undefined : here(last)];
		// Its messages were not fetched: it covers nothing here.
		if (from === undefined || to === undefined) return { ...payload, messages: { ...messages, first: 0, last: 0 } };
		return { ...payload, messages: { ...messages, first: from, last: to } };
	},
};

function translated(
	{ type, payload, text }: FleetRecord,
	places: LocalPlaces,
): { readonly payload: AnyPayload; readonly text: string } {
	const made = ownValue(SEQS_OF, type)?.(payload, (seq) => places.get(seq)?.seq);
	return made ? { payload: made, text: JSON.stringify(made) } : { payload, text };
}

type ProvedRow = {
	readonly payload: string;
	readonly hash: Buffer;
	readonly before: Buffer | null;
	readonly proof: Buffer;
};

/** The next events of a session, each proved to continue its log's chain. */
async function readProved(
	connection: FleetConnection,
	{ project, log, session }: FleetSession,
	after: number,
): Promise<FleetRecord[]> {
	const { rows } = await connection.query<ProvedRow>(
		`SELECT e.project, e.log, e.n, e.seq, e.id, s.origin, e.session, e.host, e.ts, e.type, e.v, e.cause, e.entry, e.payload,
			e.handle, ${SHIPPER_COLUMNS}, e.hash, e.proof,
			coalesce(p.hash, g.hash, CASE e.n WHEN 1 THEN decode(repeat('00', 32), 'hex') END) AS before
		FROM weft.event e
		JOIN weft.stream s ON s.project = e.project AND s.log = e.log
		LEFT JOIN weft.event p ON p.project = e.project AND p.log = e.log AND p.n = e.n - 1
		LEFT JOIN weft.gap g ON g.project = e.project AND g.log = e.log AND g.n = e.n - 1
		WHERE e.project = $1 AND e.log = $2 AND e.session = $3 AND e.n > $4 ORDER BY e.n LIMIT ${STEP_EVENTS}`,
		[project, log, session, after],
	);
	return rows.map((row) => {
		const record = recordOf({ ...row });
		const link = { ...record, payload: row.payload, proof: row.proof };
		if (!row.before || !fleetHash(row.before, link).equals(row.hash)) {
			throw new EngineError(
				"damaged",
				`Event ${record.seq} of session ${session} is not what was shipped: its hash does not fit.`,
			);
		}
		return record;
	});
}

async function fetchBlobs(
	connection: FleetConnection,
	log: Log,
	records: readonly FleetRecord[],
): Promise<Pick<FetchCounts, "blobs" | "missing">> {
	const names = new Set(
		records.flatMap(({ payload }) => [payload["blob"], payload["base"]]).filter((name) => typeof name === "string"),
	);
	const wanted = [...names].filter((name) => /^[0-9a-f]{64}$/.test(name) && log.blobHashes(name, 1).length === 0);
	let blobs = 0;
	for (const name of wanted) {
		const { rows } = await connection.query<{ data: Buffer }>("SELECT data FROM weft.blob WHERE hash = $1 LIMIT 1", [
			Buffer.from(name, "hex"),
		]);
		if (!rows[0]) continue;
		if (log.putBlob(rows[0].data) !== name)
			throw new EngineError("damaged", `The blob ${name} is not what its name says.`);
		blobs++;
	}
	return { blobs, missing: wanted.length - blobs };
}
