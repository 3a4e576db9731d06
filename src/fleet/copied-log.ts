/** Makes the log of a copied data folder a log of its own, from where it and the fleet's copy differ. */
import { randomUUID } from "node:crypto";
import { EngineError } from "../base/error/engine-error.ts";
import type { Log } from "../log/log.ts";
import { setLogId } from "../log/retention/archive.ts";
import { commitment } from "./chain.ts";
import type { FleetConnection } from "./connection.ts";
import { isOneLog, type OwnLog, streamName } from "./stream.ts";

const SEPARATED_AT = "fleet-separated-at";

/** The last seq that was shipped under another name; 0: none. */
export function separatedAt(log: Log): number {
	return Number(log.meta(SEPARATED_AT) ?? 0);
}

/** Returns the seq after which this log is its own. Proofs fit up to it and not after it, so a binary search finds it. */
export async function separateLog(connection: FleetConnection, own: OwnLog): Promise<number> {
	const { log, project, key } = own;
	const name = streamName(log);
	const at = async (n: number) => {
		const { rows } = await connection.query<{ seq: string; proof: Buffer }>(
			"SELECT seq, proof FROM weft.event WHERE project = $1 AND log = $2 AND n <= $3 ORDER BY n DESC LIMIT 1",
			[project, name, n],
		);
		const [row] = rows;
		if (!row) return { seq: 0, fits: true };
		const hash = log.hashAt(Number(row.seq));
		return { seq: Number(row.seq), fits: hash !== undefined && commitment(key, hash).equals(row.proof) };
	};
	const { rows } = await connection.query<{ n: string; mine: boolean }>(
		"SELECT n, role = session_user AS mine FROM weft.stream WHERE project = $1 AND log = $2",
		[project, name],
	);
	// Only the role that began a log may add to it; another role needs its own.
	if (rows[0]?.mine !== false && (await isOneLog(connection, own))) {
		throw new EngineError("refused", "This log and the fleet's copy of it are the same. There is nothing to separate.");
	}
	let [low, high, common] = [0, Number(rows[0]?.n ?? 0), 0];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		const { seq, fits } = await at(middle);
		if (fits) [low, common] = [middle, seq];
		else high = middle - 1;
	}
	log.transaction(() => {
		log.setMeta(SEPARATED_AT, String(common));
		setLogId(log, randomUUID());
	});
	return common;
}
