/**
 * One shipping of a project's log from start to end: events first, without forgotten sessions, then failures and what resolved
 * them. The result is written beside the log, so that the status shows it without asking the server.
 */

import { join } from "node:path";
import { EngineError } from "../base/error/engine-error.ts";
import { errorText } from "../base/error/error-text.ts";
import { takeLease } from "../base/sqlite/lease.ts";
import type { Engine } from "../engine.ts";
import type { Log } from "../log/log.ts";
import { readCheckpoint, writeCheckpoint, writeFailure } from "../log/shipping-checkpoint.ts";
import { withSummaries } from "../state/history/searchable.ts";
import { searchable } from "../state/session/searchable.ts";
import { fleetKey } from "./chain.ts";
import { connectFleet, type FleetConnection } from "./connection.ts";
import { readExcludes } from "./exclude.ts";
import { exactMasker, type Masker, secretMasker } from "./masker.ts";
import { checkVersion } from "./migrate.ts";
import { namesIn, outgoingHandle } from "./outgoing-names.ts";
import { type FleetPlace, NOT_WANTED, shippedName } from "./place.ts";
import { shipContinuations } from "./session-continuations.ts";
import { type Shipped, ship } from "./ship.ts";
import { shipFailures } from "./ship-failures.ts";
import type { StreamHead } from "./stream.ts";
import { streamName } from "./stream.ts";

const MAX_ATTEMPTS = 5;

export interface SyncOptions {
	readonly now?: (() => number) | undefined;
	readonly signal?: AbortSignal | undefined;
	/** An open connection to use. */
	readonly connection?: FleetConnection | undefined;
	readonly onBatch?: (() => void) | undefined;
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
		await using connection = await connectFleet(place.address);
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
		const excludes = readExcludes(settings["fleet.exclude"], await readForgotten(connection, log));
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
