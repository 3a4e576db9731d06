/** Asks the fleet whether failures were resolved on other machines: of each the newest time, with the handle of what was changed. */
import type { FleetFailure } from "../view/fleet.ts";
import { readFailures } from "./ask.ts";
import type { FleetConnection } from "./connection.ts";

const MAX_PATHS = 10;

export interface ResolvedThere {
	readonly hash: string;
	readonly person: string;
	readonly machine: string;
	readonly session: string;
	readonly at: number;
	readonly handle: string;
	/** Those that were changed last come last. */
	readonly paths: readonly string[];
}

export interface LookUp {
	readonly project: string;
	readonly hashes: readonly string[];
	/** Not those of these logs: our own. */
	readonly besides: string;
}

export async function lookUpResolved(connection: FleetConnection, query: LookUp): Promise<readonly ResolvedThere[]> {
	const found = await readFailures(connection, { ...query, limit: query.hashes.length * 10 });
	const resolved = new Map<string, FleetFailure>();
	// The newest first: the first one of each is taken.
	for (const failure of found) {
		if (failure.state === "resolved" && !resolved.has(failure.hash)) resolved.set(failure.hash, failure);
	}
	return [...resolved.values()].map(({ hash, person, machine, session, lastTs, changes, green, red }) => ({
		hash,
		person,
		machine,
		session,
		at: lastTs,
		handle: changes.at(-1)?.handle ?? green ?? red,
		paths: [...new Set(changes.map(({ path }) => path))].slice(-MAX_PATHS),
	}));
}
