/** How shipping stands, as this machine knows it: for the status, the doctor and the status line. Asks no server. */
import type { Log } from "../log/log.ts";
import type { FleetState } from "../view/fleet.ts";
import { type FleetAddress, showAddress, targetKey } from "./address.ts";
import { readCheckpoint } from "./checkpoint.ts";

export function fleetState(log: Log, address: FleetAddress): FleetState {
	const { seq, at, failing } = readCheckpoint(log, targetKey(address));
	return {
		server: showAddress(address),
		behind: Math.max(0, log.newestSeq() - seq),
		at,
		failing: failing ? { since: failing.since, why: failing.why } : null,
	};
}
