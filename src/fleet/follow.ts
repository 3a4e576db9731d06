/**
 * A fleet's events as they arrive: the newest that are there, then what comes. The server says that there is something;
 * where a pooler does not pass that on, it is asked every few seconds, and that is said.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { FleetConnection } from "./connect.ts";
import { type FleetQuery, type FleetRecord, readFleet, readNewest } from "./read.ts";

const ASK_EVERY_MS = 3_000;
/** Even where the server speaks: what it said may have been lost. */
const LOOK_ANYWAY_MS = 15_000;

const HEARD_WITHIN_MS = 1_000;

export interface FollowOptions {
	readonly signal: AbortSignal;
	readonly tell: (line: string) => void;
	readonly askEveryMs?: number | undefined;
}

export async function* followFleet(
	connection: FleetConnection,
	query: FleetQuery,
	{ signal, tell, askEveryMs = ASK_EVERY_MS }: FollowOptions,
): AsyncGenerator<FleetRecord[]> {
	const heard = Promise.withResolvers<void>();
	let wake = heard.resolve;
	let isRung = false;
	connection.on("notification", () => {
		isRung = true;
		wake();
	});
	const isHeard = await canListen(connection, heard.promise);
	if (!isHeard)
		tell(`The server does not tell by itself (a pooler is in between): it is asked every ${askEveryMs / 1_000} s.`);
	const seen = await readHeads(connection, query);
	const first = await readNewest(connection, query);
	if (first.length > 0) yield first;
	while (!signal.aborted) {
		isRung = false;
		const now = await readHeads(connection, query);
		for (const [log, head] of now) {
			const before = seen.get(log) ?? { ...head, n: 0, seq: 0 };
			if (head.n <= before.n) continue;
			const fresh: FleetRecord[] = [];
			const { limit: _, ...rest } = query;
			for await (const record of readFleet(connection, {
				...rest,
				project: head.project,
				log,
				after: before.seq,
				upTo: head.seq,
			})) {
				fresh.push(record);
			}
			seen.set(log, head);
			if (fresh.length > 0) yield fresh;
		}
		if (isRung || signal.aborted) continue;
		const rung = new Promise<void>((resolve) => {
			wake = resolve;
		});
		await Promise.race([rung, sleep(isHeard ? LOOK_ANYWAY_MS : askEveryMs, undefined, { signal }).catch(() => {})]);
	}
}

/** A pooler may refuse LISTEN, or take it and pass nothing on: a word to ourselves tells. */
async function canListen(connection: FleetConnection, heard: Promise<void>): Promise<boolean> {
	try {
		await connection.query("LISTEN weft");
		await connection.query("NOTIFY weft");
		return await Promise.race([heard.then(() => true), sleep(HEARD_WITHIN_MS, false)]);
	} catch {
		return false;
	}
}

interface StreamHead {
	readonly project: string;
	readonly n: number;
	readonly seq: number;
}

async function readHeads(connection: FleetConnection, { project }: FleetQuery): Promise<Map<string, StreamHead>> {
	const { rows } = await connection.query<{ log: string; project: string; n: string; seq: string }>(
		"SELECT log::text AS log, project, n, seq FROM weft.stream WHERE $1::text IS NULL OR project = $1",
		[project],
	);
	return new Map(rows.map((row) => [row.log, { project: row.project, n: Number(row.n), seq: Number(row.seq) }]));
}
