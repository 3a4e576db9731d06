/**
 * Ships a log in batches, each in one transaction, from the server's head of it. The server decides what has arrived: after a
 * kill, a cut connection or a race with a second shipper, its head is read again. The head must be an event of this very log,
 * which its commitment proves.
 */
import { EngineError } from "../base/error/engine-error.ts";
import type { Searchable } from "../log/types.ts";
import { type Batch, type BatchBounds, readBatch, withhold } from "./batch.ts";
import { BinaryArray, type Element } from "./binary-array.ts";
import { commitment, fleetHash, type Link } from "./chain.ts";
import type { FleetConnection } from "./connection.ts";
import type { Excludes } from "./exclude.ts";
import type { Masker, OutgoingBlob, OutgoingEvent } from "./masker.ts";
import { fleetWords } from "./search-words.ts";
import { serverSession, serverText } from "./server-text.ts";
import { SHIPPED_COLUMNS, SHIPPED_NAMES, type ShippedColumn } from "./shipped-columns.ts";
import {
	type Owner,
	type OwnLog,
	openStream,
	readProvedHead,
	type StreamHead,
	separatedAt,
	streamName,
} from "./stream.ts";

export interface Shipment extends OwnLog, Owner {
	readonly mask: Masker;
	readonly excludes: Excludes;
	readonly searchable: Searchable;
	/** Where the last shipping ended: see `Checkpoint`. */
	readonly from?: { readonly n: number; readonly seq: number } | undefined;
	readonly bounds?: BatchBounds | undefined;
	/** Called after each transaction. */
	readonly onBatch?: ((head: StreamHead) => void) | undefined;
	readonly signal?: AbortSignal | undefined;
}

export interface Shipped {
	readonly events: number;
	readonly blobs: number;
	readonly excluded: number;
	readonly masked: number;
	readonly head: StreamHead;
}

export async function ship(connection: FleetConnection, shipment: Shipment): Promise<Shipped> {
	const { log, from } = shipment;
	const opened = await openStream(connection, shipment, shipment);
	let { head } = opened;
	const start = Math.max(opened.seq, separatedAt(log));
	let seq = from && from.n === head.n ? Math.max(start, from.seq) : start;
	const sum = { events: 0, blobs: 0, excluded: 0, masked: 0 };
	const ready: { next: Promise<Prepared> | undefined } = { next: prepare(shipment, head, seq) };
	while (ready.next && !shipment.signal?.aborted) {
		const { batch, leaving, columns, head: after } = await ready.next;
		const prepareNext = () => {
			ready.next = batch.isLast ? undefined : prepare(shipment, after, batch.seq);
			// If this batch fails, the next one is dropped.
			ready.next?.catch(() => {});
		};
		try {
			if (columns.length > 0) sum.blobs += await sendBatch(connection, shipment, { leaving, columns }, prepareNext);
			else prepareNext();
		} catch (error) {
			if (!isRefused(error)) throw error;
			// A second shipper of the log may have been first. Its head is then ahead, so this loop ends.
			const now = await readProvedHead(connection, shipment);
			if (!now || now.n <= head.n) throw error;
			[head, seq] = [now, now.seq];
			ready.next = prepare(shipment, head, seq);
			continue;
		}
		[head, seq] = [after, batch.seq];
		sum.events += leaving.length;
		sum.excluded += batch.excluded;
		sum.masked += leaving.filter(({ isMasked }) => isMasked).length;
		shipment.onBatch?.({ ...head, seq });
	}
	return { ...sum, head: { ...head, seq } };
}

/** A batch ready to ship, and the server's head after it. */
interface Prepared {
	readonly batch: Batch;
	readonly leaving: readonly OutgoingEvent[];
	/** An array of each of SHIPPED_COLUMNS; empty: nothing to ship. */
	readonly columns: readonly Buffer[];
	readonly head: StreamHead;
}

async function prepare(shipment: Shipment, head: StreamHead, seq: number): Promise<Prepared> {
	const batch = readBatch(shipment.log, seq, shipment.excludes, shipment.bounds);
	withhold(shipment.log, batch.withheld);
	const leaving = batch.records.length === 0 ? [] : await shipment.mask(batch.records);
	const rows = chainRows(leaving, head, shipment);
	const last = rows.at(-1) ?? head;
	const columns = rows.length === 0 ? [] : columnsOf(rows, shipment.searchable);
	return { batch, leaving, columns, head: { n: last.n, seq: last.seq, hash: last.hash } };
}

function isRefused(error: unknown): boolean {
	return error instanceof EngineError && error.code === "refused";
}

interface ShippedRow extends Link {
	readonly hash: Buffer;
	readonly leaving: OutgoingEvent;
}

function chainRows(leaving: readonly OutgoingEvent[], head: StreamHead, { project, log, key }: Shipment): ShippedRow[] {
	let { n, hash } = head;
	const name = streamName(log);
	return leaving.map((each) => {
		const { seq, id, session, host, ts, type, v, cause, entry, hash: original } = each.record;
		n++;
		const link: Link = {
			project,
			log: name,
			n,
			seq,
			id,
			session: serverSession(session),
			host: serverText(host),
			ts,
			type: serverText(type),
			v,
			cause,
			entry: entry === null ? null : serverText(entry),
			payload: each.text,
			proof: commitment(key, original),
		};
		hash = fleetHash(hash, link);
		return { ...link, hash, leaving: each };
	});
}

const TAKE = `SELECT weft.take(${["", "", ...SHIPPED_NAMES].map((_, at) => `$${at + 1}`).join(", ")})`;

async function sendBatch(
	connection: FleetConnection,
	shipment: Shipment,
	{ leaving, columns }: Pick<Prepared, "leaving" | "columns">,
	/** Called while the server works, to prepare the next batch. */
	meanwhile: () => void,
): Promise<number> {
	const own = [shipment.project, streamName(shipment.log)] as const;
	const send = async () => {
		const taken = connection.query(TAKE, [...own, ...columns]);
		meanwhile();
		await taken;
	};
	const blobs = leaving.flatMap((each) => each.blobs);
	if (blobs.length === 0) {
		await send();
		return 0;
	}
	await connection.query("BEGIN");
	try {
		const sent = await sendBlobs(connection, own, blobs);
		await send();
		await connection.query("COMMIT");
		return sent;
	} catch (error) {
		await connection.query("ROLLBACK").catch(() => {});
		throw error;
	}
}

/** Sends only blobs that the log does not have on the server. */
async function sendBlobs(
	connection: FleetConnection,
	[project, log]: readonly [project: string, log: string],
	blobs: readonly OutgoingBlob[],
): Promise<number> {
	const wanted = new Map(blobs.map((blob) => [blob.name, blob]));
	// Keeps the blobs that are there until the events that name them have arrived.
	await connection.query("SELECT weft.hold($1, $2)", [project, log]);
	const { rows } = await connection.query<{ name: string }>(
		"SELECT encode(hash, 'hex') AS name FROM weft.blob WHERE log = $1 AND hash = ANY ($2)",
		[log, [...wanted.keys()].map((name) => Buffer.from(name, "hex"))],
	);
	for (const { name } of rows) wanted.delete(name);
	for (const { name, bytes } of wanted.values()) {
		const data = bytes();
		if (!data) continue;
		await connection.query("INSERT INTO weft.blob (log, hash, data) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [
			log,
			Buffer.from(name, "hex"),
			data,
		]);
	}
	return wanted.size;
}

function columnsOf(rows: readonly ShippedRow[], searchable: Searchable): readonly Buffer[] {
	const arrays = SHIPPED_NAMES.map((name) => new BinaryArray(SHIPPED_COLUMNS[name]));
	for (const row of rows) {
		const cells = cellsOf(row, searchable);
		for (const [at, name] of SHIPPED_NAMES.entries()) arrays[at]?.add(cells[name]);
	}
	return arrays.map((array) => array.bytes());
}

function cellsOf(row: ShippedRow, searchable: Searchable): Readonly<Record<ShippedColumn, Element>> {
	const { record, payload, blobs } = row.leaving;
	const { n, seq, id, session, host, ts, type, v, cause, entry, proof, hash } = row;
	const doc = searchable({ ...record, payload });
	return {
		n,
		seq,
		id,
		session,
		host,
		ts,
		type,
		v,
		cause,
		entry,
		payload: row.payload,
		proof,
		hash,
		blob: blobCell(blobs[0]),
		base: blobCell(blobs[1]),
		role: textCell(doc?.role),
		tool: textCell(doc?.tool ?? payload["tool"]),
		file: indexedCell(payload["path"]),
		words: doc ? fleetWords(doc.text) : null,
		thoughts: doc?.thinking ? fleetWords(doc.thinking) : null,
	};
}

function blobCell(blob: OutgoingBlob | undefined): Element {
	return blob ? Buffer.from(blob.name, "hex") : null;
}

/** The limit of the server's index. A longer path is found in the payload, not by its name. */
const MAX_INDEXED_BYTES = 1_000;

function indexedCell(value: unknown): Element {
	return typeof value === "string" && Buffer.byteLength(value) <= MAX_INDEXED_BYTES ? textCell(value) : null;
}

function textCell(value: unknown): Element {
	return typeof value === "string" ? serverText(value) : null;
}
