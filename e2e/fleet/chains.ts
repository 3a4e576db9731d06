import { fleetHash } from "../../src/fleet/chain.ts";
import type { FleetConnection } from "../../src/fleet/connection.ts";
import { recordOf } from "../../src/fleet/read-events.ts";

interface Row {
	readonly payload: string;
	readonly hash: Buffer;
	readonly proof: Buffer;
}

/** What is wrong with the chains that a role can see, computed here and not by the server; empty: nothing. */
export async function checkChains(connection: FleetConnection): Promise<string[]> {
	const wrong: string[] = [];
	const streams = await connection.query<{ project: string; log: string; n: string }>(
		"SELECT project, log::text AS log, n FROM weft.stream",
	);
	for (const { project, log, n } of streams.rows) {
		const { rows } = await connection.query<Row>(
			`SELECT e.*, s.origin, s.machine, s.role AS person, s.person AS says FROM weft.event e JOIN weft.stream s USING (project, log)
			WHERE project = $1 AND log = $2 ORDER BY e.n`,
			[project, log],
		);
		const gaps = await connection.query<{ n: string; hash: Buffer }>(
			"SELECT n, hash FROM weft.gap WHERE project = $1 AND log = $2",
			[project, log],
		);
		const hashes = new Map(gaps.rows.map((gap) => [Number(gap.n), gap.hash]));
		for (const row of rows) {
			const record = recordOf({ ...row });
			const before = record.n === 1 ? Buffer.alloc(32) : hashes.get(record.n - 1);
			if (!before) wrong.push(`${log}: before ${record.n} something is missing`);
			else if (!fleetHash(before, { ...record, payload: row.payload, proof: row.proof }).equals(row.hash)) {
				wrong.push(`${log}: ${record.n} does not fit`);
			}
			hashes.set(record.n, row.hash);
		}
		// Of a run that was pruned one hash is left, its last.
		if (Number(n) > 0 && !hashes.has(Number(n))) wrong.push(`${log}: ${n} is missing`);
	}
	return wrong;
}
