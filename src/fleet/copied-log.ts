/** A data folder that was copied goes on as a log of its own, from where it and what the fleet has part. */
import { randomUUID } from "node:crypto";
import { EngineError } from "../base/error/engine-error.ts";
import type { Log } from "../log/log.ts";
import { setLogId } from "../log/retention/archive.ts";
import { commitment } from "./chain.ts";
import type { FleetConnection } from "./connection.ts";
import { isOneLog, type OwnLog, streamName } from "./stream.ts";

const APART = "fleet-apart";

/** What was shipped under another name ends here; 0: nothing was. */
export function shippedApart(log: Log): number {
	return Number(log.meta(APART) ?? 0);
}

/** The seq after which this log is its own. Proofs fit up to some event and not behind it: halving finds it. */
export async function partFrom(connection: FleetConnection, own: OwnLog): Promise<number> {
	const { log, project, key } = own;
	const name = streamName(log);
	const at = async (n: number) => {
		const { rows } = await connection.query<{ seq: string; proof: Buffer }>(
			"SELECT seq, proof FROM weft.event WHERE project = $1 AND log = $2 AND n <= $3 ORDER BY n DESC LIMIT 1",
			[project, name, n],
		);
		const seq = Number(rows[0]?.seq ?? 0);
		const hash = log.hashAt(seq);
		return { seq, fits: seq === 0 || (hash !== undefined && commitment(key, hash).equals(rows[0]!.proof)) };
	};
	const { rows } = await connection.query<{ n: string; mine: boolean }>(
		"SELECT n, role = session_user AS mine FROM weft.stream WHERE project = $1 AND log = $2",
		[project, name],
	);
	// Only the role that began a log adds to it: another one has to begin its own.
	if (rows[0]?.mine !== false && (await isOneLog(connection, own))) {
		throw new EngineError("refused", "This log and what the fleet has of it are one: there is nothing to part.");
	}
	let [low, high, common] = [0, Number(rows[0]?.n ?? 0), 0];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		const { seq, fits } = await at(middle);
		if (fits) [low, common] = [middle, seq];
		else high = middle - 1;
	}
	log.transaction(() => {
		log.setMeta(APART, String(common));
		setLogId(log, randomUUID());
	});
	return common;
}
