/** The state of shipping as this machine knows it, for the status, the doctor and the status line. Asks no server. */

import { errorText } from "../base/error/error-text.ts";
import { formatCount, plural } from "../base/text/bytes.ts";
import { formatAgo, formatTime, shortAge } from "../base/text/time.ts";
import { countForeign } from "../log/fetched-sessions.ts";
import type { Log } from "../log/log.ts";
import { readCheckpoint } from "../log/shipping-checkpoint.ts";
import { type FleetAddress, readAddress, showAddress, targetKey } from "../settings/fleet-address.ts";
import type { Settings } from "../settings/keys.ts";

export interface FleetState {
	/** Without the password. */
	readonly server: string;
	/** Events that wait. */
	readonly behind: number;
	/** ms since the epoch; 0: never. */
	readonly at: number;
	readonly failing: { readonly since: number; readonly why: string } | null;
}

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

export function fleetSentence({ server, behind, at, failing }: FleetState, now: number): string {
	const waiting = behind === 0 ? "nothing waits" : plural(behind, "event") + (behind === 1 ? " waits" : " wait");
	if (failing) return `${server}: ${trouble(failing)} since ${formatTime(failing.since)}, ${waiting}. ${failing.why}`;
	return `${server}: ${at === 0 ? "nothing was shipped yet" : `shipped ${formatAgo(at, now)}`}, ${waiting}`;
}

/** For a line with little room: only a failure. */
export function fleetWarning({ behind, failing }: FleetState, now: number): string | undefined {
	return failing
		? `fleet ${trouble(failing)} since ${shortAge(failing.since, now).replace(" ago", "")}, ${formatCount(behind)} wait`
		: undefined;
}

function trouble({ why }: { readonly why: string }): string {
	return /cannot be reached or does not answer|^It does not answer/.test(why) ? "away" : "not shipping";
}
