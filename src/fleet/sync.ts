/**
 * One shipping of a project's log from start to end: events first, without forgotten sessions, then failures and what resolved
 * them. The result is written beside the log, so that the status shows it without asking the server.
 */
import { join } from "node:path";
import { EngineError } from "../base/error/engine-error.ts";
import { errorText } from "../base/error/error-text.ts";
import { asInteger, asText } from "../base/json/read.ts";
import { takeLease } from "../base/sqlite/lease.ts";
import { maskStrings } from "../base/text/mask-strings.ts";
import type { Engine } from "../engine.ts";
import type { EventRecord } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { StoredRecord } from "../log/read.ts";
import { readCheckpoint, writeCheckpoint, writeFailure } from "../log/shipping-checkpoint.ts";
import { withSummaries } from "../state/history/searchable.ts";
import { searchable } from "../state/session/searchable.ts";
import type { Failure, FailureState } from "../state/work/failure/types.ts";
import { fleetKey } from "./chain.ts";
import { connectFleet, type FleetConnection } from "./connection.ts";
import { type Excludes, privateSessions, readExcludes } from "./exclude.ts";
import { shipContinuations } from "./find-session.ts";
import { exactMasker, type Masker, secretMasker } from "./masker.ts";
import { checkVersion } from "./migrate.ts";
import { namesIn, outgoingHandle } from "./outgoing-names.ts";
import { type FleetPlace, NOT_WANTED, shippedName } from "./place.ts";
import { serverSession, serverText } from "./server-text.ts";
import { type Shipped, ship } from "./ship.ts";
import { type StreamHead, streamName } from "./stream.ts";

const MAX_ATTEMPTS = 5;

interface SyncOptions {
	readonly now?: (() => number) | undefined;
	readonly signal?: AbortSignal | undefined;
	/** An open connection to use. */
	readonly connection?: FleetConnection | undefined;
	readonly onBatch?: (() => void) | undefined;
	/** Called with a sentence when the server lets a statement wait. */
	readonly onWait?: ((sentence: string) => void) | undefined;
}

export interface Synced extends Omit<Shipped, "head"> {
	readonly project: string;
	/** Shipped failures. */
	readonly failures: number;
	/** Events of this log on the server. */
	readonly total: number;
}

/** Undefined: another process is shipping this log. Records a failure and rejects with it. */
export async function syncProject(
	engine: Engine,
	place: FleetPlace,
	options: SyncOptions = {},
): Promise<Synced | undefined> {
	const { log } = engine;
	using lease = takeLease(join(log.folder, `fleet-${place.target}.lock`));
	if (!lease) return undefined;
	const now = options.now ?? Date.now;
	try {
		const project = await shippedName(engine);
		if (options.connection) return await syncOver(options.connection, engine, place, project, options);
		await using connection = await connectFleet(place.address, { onWait: options.onWait });
		return await syncOver(connection, engine, place, project, options);
	} catch (error) {
		const why = errorText(error);
		// Excluded on purpose: not a failure.
		if (error instanceof EngineError && error.cause === NOT_WANTED) throw error;
		if (log.isOpen) writeFailure(log, place.target, why, now());
		throw error;
	}
}

async function syncOver(
	connection: FleetConnection,
	engine: Engine,
	place: FleetPlace,
	project: string,
	{ signal, onBatch, now = Date.now }: SyncOptions,
): Promise<Synced> {
	const { log, settings } = engine;
	await checkVersion(connection);
	const checkpoint = readCheckpoint(log, place.target);
	const shipOnce = async () => {
		const excludes = readExcludes(
			settings["fleet.exclude"],
			await readForgotten(connection, log),
			privateSessions(log),
		);
		const shipment = {
			log,
			project,
			machine: place.machine,
			person: place.person,
			key: fleetKey(place.home),
			mask: maskerOf(engine, place),
			excludes,
			searchable: withSummaries(searchable),
			from: checkpoint,
			signal,
			onBatch: ({ n, seq }: StreamHead) => {
				writeCheckpoint(log, place.target, { ...checkpoint, failing: undefined, n, seq, at: now() });
				onBatch?.();
			},
		};
		return { excludes, shipped: await ship(connection, shipment) };
	};
	const { excludes, shipped: all } = await retryWhenForgotten(shipOnce);
	const { head, ...shipped } = all;
	const isMasked = settings["fleet.mask"] === "masked";
	const failures = await shipFailures(connection, {
		log,
		project,
		failures: engine.state().state.failures.failures,
		excludes,
		isMasked,
		handle: (own) => (isMasked ? outgoingHandle(own, namesIn(log), fleetKey(place.home)) : own),
		after: checkpoint.told ?? 0,
		upTo: head.seq,
	});
	await shipContinuations(connection, log, project);
	writeCheckpoint(log, place.target, { n: head.n, seq: head.seq, at: now(), told: head.seq });
	return { ...shipped, project, failures, total: head.n };
}

async function readForgotten(connection: FleetConnection, log: Log): Promise<ReadonlySet<string>> {
	const { rows } = await connection.query<{ session: string }>("SELECT session FROM weft.forgotten WHERE log = $1", [
		streamName(log),
	]);
	return new Set(rows.map(({ session }) => session));
}

/** An owner may forget a session while it is being shipped: tries again without it. */
async function retryWhenForgotten<Result>(shipOnce: () => Promise<Result>): Promise<Result> {
	for (let times = 0; ; times++) {
		try {
			return await shipOnce();
		} catch (error) {
			if (!(error instanceof EngineError) || error.code !== "deleted" || times === MAX_ATTEMPTS) throw error;
		}
	}
}

export function maskerOf(
	{ log, settings }: Pick<Engine, "log" | "settings">,
	{ home }: Pick<FleetPlace, "home">,
): Masker {
	const blob = (name: string) => readBlob(log, name);
	return settings["fleet.mask"] === "exact" ? exactMasker(blob) : secretMasker(blob, fleetKey(home), namesIn(log));
}

/** Undefined: the blob cannot be read. */
function readBlob(log: Log, name: string): Buffer | undefined {
	try {
		return log.getBlob(name);
	} catch (error) {
		if (error instanceof EngineError) return undefined;
		throw error;
	}
}

interface FailureShipment {
	readonly log: Log;
	readonly project: string;
	readonly failures: FailureState;
	readonly excludes: Excludes;
	readonly isMasked: boolean;
	/** The handle on the server of an event of this log. */
	readonly handle: (own: string) => string;
	/** Failures up to this event were shipped before. */
	readonly after: number;
	/** Newer events have not been shipped. */
	readonly upTo: number;
}

const MAX_CHANGES = 20;

interface FleetChange {
	readonly path: string;
	readonly handle: string;
	readonly added: number;
	readonly removed: number | null;
}

/** Ships what failed here and what resolved it: the changes between the last red run and the first green one. */
async function shipFailures(connection: FleetConnection, shipment: FailureShipment): Promise<number> {
	const { log, failures, after, upTo } = shipment;
	const rows = [...failures.resolved, ...failures.open]
		.filter((failure) => {
			const seq = failure.resolvedSeq ?? failure.lastSeq;
			return seq > after && seq <= upTo;
		})
		.flatMap((failure) => rowOf(shipment, failure) ?? []);
	if (rows.length === 0) return 0;
	const shown = shipment.isMasked ? ((await maskStrings(rows)) as typeof rows) : rows;
	// Fingerprints and handles are no secrets and must not be masked.
	const outgoing = shown.map((row, at) => {
		const { firstTs: first_ts, lastTs: last_ts, ...rest } = row;
		const { hash, red, green } = rows[at] ?? row;
		return { ...rest, hash, red, green, first_ts, last_ts };
	});
	// One statement for all, because the server may be far away.
	await connection.query(
		`INSERT INTO weft.failure (project, log, hash, state, seq, name, unit, message, session, attempts, first_ts, last_ts, red, green, changes)
		SELECT $1, $2::uuid, hash, state, seq, name, unit, message, session, attempts, first_ts, last_ts, red, green, changes
		FROM jsonb_to_recordset($3::jsonb) AS x (hash text, state text, seq bigint, name text, unit text, message text, session text,
			attempts integer, first_ts bigint, last_ts bigint, red text, green text, changes jsonb) ON CONFLICT DO NOTHING`,
		[shipment.project, streamName(log), JSON.stringify(outgoing).replaceAll("\\u0000", "␀")],
	);
	return rows.length;
}

/** Undefined: the failure is not of this machine, or is excluded. */
function rowOf({ log, excludes, handle }: FailureShipment, failure: Failure) {
	const run = log.getStored(failure.lastSeq);
	if (!run || run.origin !== log.options.origin) return undefined;
	const step: StoredRecord[] = [run, ...(run.cause === null ? [] : [log.getStored(run.cause) ?? []].flat())];
	if (excludes(step)) return undefined;
	return {
		hash: failure.hash,
		state: failure.state,
		seq: failure.resolvedSeq ?? failure.lastSeq,
		name: boundedText(failure.id),
		unit: failure.unit === null ? null : boundedText(failure.unit),
		message: boundedText(failure.message),
		session: serverSession(run.session),
		attempts: failure.attempts,
		firstTs: failure.firstTs,
		lastTs: failure.resolvedTs ?? failure.lastTs,
		red: handle(failure.lastHandle),
		green: failure.resolvedHandle === null ? null : handle(failure.resolvedHandle),
		changes: changesBetween(log, failure)
			.filter(({ path }) => !excludes([{ ...run, text: JSON.stringify(path) }]))
			.map((change) => ({ ...change, handle: handle(change.handle) })),
	};
}

/** The server bounds a failure. */
const MAX_FAILURE_CHARS = 20_000;

function boundedText(text: string): string {
	return serverText(text.slice(0, MAX_FAILURE_CHARS));
}

/** The last changes: those right before the green run most likely resolved it. */
function changesBetween(log: Log, { lastSeq, resolvedSeq }: Failure): FleetChange[] {
	if (resolvedSeq === null) return [];
	const found: FleetChange[] = [];
	for (const record of log.read({ after: lastSeq, upTo: resolvedSeq, types: ["FileChanged"], order: "newest" })) {
		if (record.origin !== log.options.origin) continue;
		found.push(changeOf(record));
		if (found.length > MAX_CHANGES) break;
	}
	return found.reverse();
}

function changeOf(record: EventRecord): FleetChange {
	const { path, added, removed } = record.payload;
	return {
		path: serverText(asText(path) ?? ""),
		handle: handleOf(record),
		added: asInteger(added) ?? 0,
		removed: asInteger(removed) ?? null,
	};
}
