/**
 * A log on the server: how far it was shipped, and whether it is this very log. A copied data folder has the same name and key
 * but other new events, which must not be mixed in. So the server's newest event must be in this log.
 */

import { randomUUID } from "node:crypto";
import { EngineError } from "../base/error/engine-error.ts";
import type { Log } from "../log/log.ts";
import { logId, setLogId } from "../log/retention/archive.ts";
import { commitment } from "./chain.ts";
import type { FleetConnection } from "./connection.ts";
import { serverText } from "./server-text.ts";

/** The newest event of a log that the server has. */
export interface StreamHead {
	readonly n: number;
	readonly seq: number;
	readonly hash: Buffer;
}

interface ServerHead extends StreamHead {
	/** Of its newest event; null: there is none. */
	readonly proof: Buffer | null;
}

export interface OwnLog {
	readonly log: Log;
	readonly project: string;
	/** The machine's secret. */
	readonly key: Uint8Array;
}

export interface Owner {
	readonly machine: string;
	readonly person: string;
}

/** The head, and the last seq that was shipped under this name of the project or an earlier one. */
export async function openStream(
	connection: FleetConnection,
	own: OwnLog,
	{ machine, person }: Owner,
): Promise<{ readonly head: StreamHead; readonly seq: number }> {
	const { log, project } = own;
	const known = await readHead(connection, own);
	if (!known) {
		await connection.query(
			`INSERT INTO weft.stream (project, log, origin, machine, person) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			[project, streamName(log), log.options.origin, serverText(machine), serverText(person)],
		);
	}
	const head = known ?? (await readHead(connection, own));
	if (!head)
		throw new EngineError(
			"refused",
			"The fleet's server has this log under a team that the role is not in. Nothing was sent. Use a role of that team.",
		);
	proveHead(own, head);
	if (head.n > 0) return { head, seq: head.seq };
	const former = await readFormer(connection, own);
	if (former) proveHead(own, former);
	return { head, seq: former?.seq ?? 0 };
}

/** Throws if the head is not an event of this log. Undefined: the server has none. */
export async function readProvedHead(connection: FleetConnection, own: OwnLog): Promise<StreamHead | undefined> {
	const head = await readHead(connection, own);
	if (head) proveHead(own, head);
	return head;
}

/** False: the server has an event that this log does not have. */
async function isOneLog(connection: FleetConnection, own: OwnLog): Promise<boolean> {
	const head = await readHead(connection, own);
	return !head || isProved(own, head);
}

async function readHead(connection: FleetConnection, { log, project }: OwnLog): Promise<ServerHead | undefined> {
	const { rows } = await connection.query<StreamRow>(
		`SELECT ${COLUMNS} FROM weft.stream WHERE project = $1 AND log = $2`,
		[project, streamName(log)],
	);
	return rows[0] && headOf(rows[0]);
}

/** The stream of a renamed or moved repository: its log continues under the new name. */
async function readFormer(
	connection: FleetConnection,
	{ log }: OwnLog,
): Promise<(ServerHead & { readonly project: string }) | undefined> {
	const { rows } = await connection.query<StreamRow>(
		`SELECT ${COLUMNS} FROM weft.stream WHERE log = $1 AND n > 0 ORDER BY seq DESC LIMIT 1`,
		[streamName(log)],
	);
	return rows[0] && { ...headOf(rows[0]), project: rows[0].project };
}

interface StreamRow {
	readonly project: string;
	readonly n: string;
	readonly seq: string;
	readonly hash: Buffer;
	readonly proof: Buffer | null;
}

const COLUMNS = "project, n, seq, hash, proof";

function headOf({ n, seq, hash, proof }: StreamRow): ServerHead {
	return { n: Number(n), seq: Number(seq), hash, proof };
}

function proveHead(own: OwnLog, head: ServerHead): void {
	if (isProved(own, head)) return;
	throw new EngineError(
		"refused",
		`The fleet has another event ${head.seq} of this log: the data folder was copied, or restored from an older copy. Nothing was sent. 'weft sync --apart' ships what is new here as a log of its own.`,
	);
}

function isProved({ log, key }: OwnLog, { n, seq, proof }: ServerHead): boolean {
	if (n === 0) return true;
	const hash = log.hashAt(seq);
	return hash !== undefined && proof !== null && commitment(key, hash).equals(proof);
}

/** The name of a log in the fleet. */
export function streamName(log: Log): string {
	const name = logId(log);
	if (name === undefined) throw new EngineError("read-only", "This log cannot be written, and has no name yet.");
	return name;
}

const SEPARATED_AT = "fleet-separated-at";

/**
 * Makes the log of a copied data folder a log of its own, from where it and the fleet's copy differ. The last seq that
 * was shipped under another name; 0: none.
 */
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
