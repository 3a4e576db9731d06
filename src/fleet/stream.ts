/**
 * A log on the server: how far it has come there, and whether it is this very log. A data folder that was copied has the same
 * name and key and goes on differently. Its events must not be mixed in, so the newest one that the server has must stand here.
 */
import { EngineError } from "../base/error/engine-error.ts";
import type { Log } from "../log/log.ts";
import { logId } from "../log/retention/archive.ts";
import { commitment } from "./chain.ts";
import type { FleetConnection } from "./connection.ts";
import { textOf } from "./server-text.ts";

/** How far the server has come with a log. */
export interface StreamHead {
	readonly n: number;
	readonly seq: number;
	readonly hash: Buffer;
}

/** As it was read from the server. */
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

/** Where to go on: the head, and the seq after which nothing was shipped yet, under this project's name or an older one. */
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
			[project, streamName(log), log.options.origin, textOf(machine), textOf(person)],
		);
	}
	const head = known ?? (await readHead(connection, own));
	if (!head)
		throw new EngineError(
			"refused",
			"The fleet's server has this log under another team, which the role is not in. Nothing was sent. Use a role of that team.",
		);
	proveHead(own, head);
	if (head.n > 0) return { head, seq: head.seq };
	const former = await readFormer(connection, own);
	if (former) proveHead(own, former);
	return { head, seq: former?.seq ?? 0 };
}

/** The head, which is proved to be of this very log. Undefined: there is none. */
export async function readProvedHead(connection: FleetConnection, own: OwnLog): Promise<StreamHead | undefined> {
	const head = await readHead(connection, own);
	if (head) proveHead(own, head);
	return head;
}

/** Whether what the server has of a log goes no other way than here. */
export async function isOneLog(connection: FleetConnection, own: OwnLog): Promise<boolean> {
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

/** A repository that was renamed or moved has another name, and its log goes on under it. */
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
		`The fleet has event ${head.seq} of this log otherwise than it stands here: the data folder was copied, or put back from an older copy. Nothing was sent. 'weft sync --apart' ships what is new here as a log of its own.`,
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
