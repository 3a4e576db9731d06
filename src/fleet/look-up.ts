/**
 * Asks the fleet about what is open here, and writes down what was resolved elsewhere: the host finds it in the log when it
 * next has something to say, so no request ever waits for the network. Each failure is told of once in a session.
 */
import type { Engine } from "../engine.ts";
import type { FleetFailure } from "../view/fleet.ts";
import { readFailures } from "./ask.ts";
import type { FleetConnection } from "./connect.ts";
import { streamName } from "./stream-name.ts";

const MOST_ASKED = 50;
const MOST_PATHS = 10;

export async function lookUpFailures(
	connection: FleetConnection,
	engine: Engine,
	project: string,
	now: number,
): Promise<number> {
	const { log } = engine;
	const open = engine.state().state.failures.failures.open.slice(-MOST_ASKED);
	if (open.length === 0) return 0;
	const found = await readFailures(connection, {
		project,
		hashes: open.map(({ hash }) => hash),
		besides: streamName(log),
		limit: MOST_ASKED,
	});
	const resolved = new Map<string, FleetFailure>();
	// The newest first: the first one of each is taken.
	for (const failure of found) {
		if (failure.state === "resolved" && !resolved.has(failure.hash)) resolved.set(failure.hash, failure);
	}
	const events = open.flatMap(({ id, hash, lastSeq }) => {
		const there = resolved.get(hash);
		const seen = log.get(lastSeq);
		if (!there || !seen) return [];
		return {
			type: "ResolvedElsewhere" as const,
			session: seen.session,
			host: seen.host,
			ts: now,
			entry: hash,
			payload: {
				failure: id,
				hash,
				person: there.person,
				machine: there.machine,
				session: there.session,
				at: there.lastTs,
				handle: there.changes.at(-1)?.handle ?? there.green ?? there.red,
				paths: [...new Set(there.changes.map(({ path }) => path))].slice(0, MOST_PATHS),
			},
		};
	});
	return log.append(events).added;
}
