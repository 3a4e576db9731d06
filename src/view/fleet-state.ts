/** How shipping stands, as this machine knows it: for the status, the doctor and the status line. Asks no server. */

import { errorText } from "../base/error/error-text.ts";
import { countForeign } from "../log/fetched-sessions.ts";
import type { Log } from "../log/log.ts";
import { readCheckpoint } from "../log/shipping-checkpoint.ts";
import { type FleetAddress, readAddress, showAddress, targetKey } from "../settings/fleet-address.ts";
import type { Settings } from "../settings/keys.ts";
import type { FleetState } from "./fleet.ts";

export function fleetState(log: Log, address: FleetAddress): FleetState {
	const { seq, at, failing } = readCheckpoint(log, targetKey(address));
	return {
		server: showAddress(address),
		// What was fetched never ships.
		behind: Math.max(0, log.newestSeq() - seq - countForeign(log, seq)),
		at,
		failing: failing ? { since: failing.since, why: failing.why } : null,
	};
}

/** Undefined: no fleet is configured. An address that cannot be read is a failure like any other. */
export function configuredFleet(
	log: Log,
	settings: Settings,
	env: NodeJS.ProcessEnv = process.env,
): FleetState | undefined {
	const url = settings["fleet.url"];
	if (url === null) return undefined;
	try {
		return fleetState(log, readAddress(url, env));
	} catch (error) {
		const why = errorText(error);
		return { server: "fleet.url", behind: log.newestSeq(), at: 0, failing: { since: 0, why } };
	}
}
