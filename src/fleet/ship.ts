/**
 * Ships a log in batches, each in one transaction, from the server's head of it. The server decides what has arrived: after a
 * kill, a cut connection or a race with a second shipper, its head is read again. The head must be an event of this very log,
 * which its commitment proves.
 */
import { EngineError } from "../base/error/engine-error.ts";
import type { Searchable } from "../log/types.ts";
import { type Batch, type BatchBounds, readBatch, withhold } from "./batch.ts";
import { commitment, fleetHash, type Link } from "./chain.ts";
import type { FleetConnection } from "./connection.ts";
import type { Excludes } from "./exclude.ts";
import type { Masker, OutgoingBlob, OutgoingEvent } from "./masker.ts";
import { serverHandle } from "./outgoing-names.ts";
import { REMOVAL_LOCK } from "./schema-functions.ts";
import { fleetWords } from "./search-words.ts";
import { serverSession, serverText } from "./server-text.ts";
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
		const { batch, leaving, pieces, head: after } = await ready.next;
		const prepareNext = () => {
			ready.next = batch.isLast ? undefined : prepare(shipment, after, batch.seq);
			// If this batch fails, the next one is dropped.
			ready.next?.catch(() => {});
		};
		try {
			if (pieces.length > 0) sum.blobs += await sendBatch(connection, shipment, { leaving, pieces }, prepareNext);
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
	/** Of a COPY; empty: nothing to ship. */
	readonly pieces: readonly Uint8Array[];
	readonly head: StreamHead;
}

async function prepare(shipment: Shipment, head: StreamHead, seq: number): Promise<Prepared> {
	const batch = readBatch(shipment.log, seq, shipment.excludes, shipment.bounds);
	withhold(shipment.log, batch.withheld);
	const leaving = batch.records.length === 0 ? [] : await shipment.mask(batch.records);
	const rows = chainRows(leaving, head, shipment);
	const last = rows.at(-1) ?? head;
	const pieces = rows.length === 0 ? [] : copyPieces(rows, shipment.searchable);
	return { batch, leaving, pieces, head: { n: last.n, seq: last.seq, hash: last.hash } };
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

const COLUMNS =
	"n, seq, id, session, host, ts, type, v, cause, entry, payload, proof, hash, handle, blob, base, role, tool, file, words, thoughts";

async function sendBatch(
	connection: FleetConnection,
	shipment: Shipment,
	{ leaving, pieces }: Pick<Prepared, "leaving" | "pieces">,
	/** Called while the server works, to prepare the next batch. */
	meanwhile: () => void,
): Promise<number> {
	await connection.query("BEGIN");
	try {
		const blobs = await sendBlobs(
			connection,
			leaving.flatMap((each) => each.blobs),
		);
		// Only for this transaction: behind a pooler the next one may use another connection.
		await connection.query(`CREATE TEMPORARY TABLE weft_batch (n bigint, seq bigint, id uuid, session text, host text,
			ts bigint, type text, v integer, cause bigint, entry text, payload text, proof bytea, hash bytea, handle text,
			blob bytea, base bytea, role text, tool text, file text, words tsvector, thoughts tsvector) ON COMMIT DROP`);
		await connection.copyIn("COPY pg_temp.weft_batch FROM STDIN (FORMAT binary)", pieces);
		const inserted = connection.query(
			`INSERT INTO weft.event (team, project, log, ${COLUMNS})
			SELECT weft.team_of(current_user), $1, $2, ${COLUMNS} FROM pg_temp.weft_batch ON CONFLICT DO NOTHING`,
			[shipment.project, streamName(shipment.log)],
		);
		meanwhile();
		const { rowCount } = await inserted;
		if (rowCount !== leaving.length) throw new EngineError("refused", "Another shipper of this log was first.");
		await connection.query("COMMIT");
		return blobs;
	} catch (error) {
		await connection.query("ROLLBACK").catch(() => {});
		throw error;
	}
}

/** Sends only blobs that the team does not have. */
async function sendBlobs(connection: FleetConnection, blobs: readonly OutgoingBlob[]): Promise<number> {
	if (blobs.length === 0) return 0;
	const wanted = new Map(blobs.map((blob) => [blob.name, blob]));
	// Keeps the blobs that are there until the events that name them have arrived.
	await connection.query("SELECT pg_advisory_xact_lock_shared($1)", [REMOVAL_LOCK]);
	const { rows } = await connection.query<{ name: string }>(
		"SELECT encode(hash, 'hex') AS name FROM weft.blob WHERE hash = ANY ($1)",
		[[...wanted.keys()].map((name) => Buffer.from(name, "hex"))],
	);
	for (const { name } of rows) wanted.delete(name);
	for (const { name, bytes } of wanted.values()) {
		const data = bytes();
		if (!data) continue;
		await connection.query("INSERT INTO weft.blob (hash, data) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
			Buffer.from(name, "hex"),
			data,
		]);
	}
	return wanted.size;
}

function copyPieces(rows: readonly ShippedRow[], searchable: Searchable): readonly Uint8Array[] {
	const copy = new CopyRows();
	for (const row of rows) copy.add(cellsOf(row, searchable));
	return copy.end();
}

/** In the order of COLUMNS. */
function cellsOf(row: ShippedRow, searchable: Searchable): Cell[] {
	const { record, payload, blobs } = row.leaving;
	const doc = searchable({ ...record, payload });
	return [
		{ bigint: row.n },
		{ bigint: row.seq },
		{ uuid: row.id },
		{ text: row.session },
		{ text: row.host },
		{ bigint: row.ts },
		{ text: row.type },
		{ int: row.v },
		row.cause === null ? null : { bigint: row.cause },
		textCell(row.entry),
		{ text: row.payload },
		{ bytes: row.proof },
		{ bytes: row.hash },
		{ text: serverHandle(record) },
		blobCell(blobs[0]),
		blobCell(blobs[1]),
		textCell(doc?.role),
		textCell(doc?.tool ?? payload["tool"]),
		indexedCell(payload["path"]),
		doc ? { bytes: fleetWords(doc.text) } : null,
		doc?.thinking ? { bytes: fleetWords(doc.thinking) } : null,
	];
}

function blobCell(blob: OutgoingBlob | undefined): Cell {
	return blob ? { bytes: Buffer.from(blob.name, "hex") } : null;
}

/** The limit of the server's index. A longer path is found in the payload, not by its name. */
const MAX_INDEXED_BYTES = 1_000;

function indexedCell(value: unknown): Cell {
	return typeof value === "string" && Buffer.byteLength(value) <= MAX_INDEXED_BYTES ? textCell(value) : null;
}

function textCell(value: unknown): Cell {
	return typeof value === "string" ? { text: serverText(value) } : null;
}

/** Rows in COPY's binary format, so that the server need not parse text. */
type Cell =
	| { readonly text: string }
	| { readonly bigint: number }
	| { readonly int: number }
	| { readonly bytes: Uint8Array }
	| { readonly uuid: string }
	| null;

const SIGNATURE = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1");
const PIECE_BYTES = 256 * 1024;

/** Collects rows; `end` returns the pieces of the whole COPY. */
class CopyRows {
	readonly #pieces: Buffer[] = [];
	#buffer = Buffer.allocUnsafe(PIECE_BYTES);
	#at = 0;

	constructor() {
		this.#bytes(SIGNATURE);
		this.#int32(0);
		this.#int32(0);
	}

	add(cells: readonly Cell[]): void {
		this.#int16(cells.length);
		for (const cell of cells) this.#cell(cell);
	}

	end(): readonly Uint8Array[] {
		this.#int16(-1);
		return [...this.#pieces, this.#buffer.subarray(0, this.#at)];
	}

	#cell(cell: Cell): void {
		if (cell === null) this.#int32(-1);
		else if ("text" in cell) this.#text(cell.text);
		else if ("bigint" in cell) {
			this.#int32(8);
			this.#room(8);
			this.#buffer.writeBigInt64BE(BigInt(cell.bigint), this.#at);
			this.#at += 8;
		} else if ("int" in cell) {
			this.#int32(4);
			this.#int32(cell.int);
		} else if ("bytes" in cell) {
			this.#int32(cell.bytes.length);
			this.#bytes(cell.bytes);
		} else {
			this.#int32(16);
			this.#bytes(Buffer.from(cell.uuid.replaceAll("-", ""), "hex"));
		}
	}

	#text(text: string): void {
		this.#room(4 + text.length * 3);
		const bytes = this.#buffer.write(text, this.#at + 4);
		this.#buffer.writeInt32BE(bytes, this.#at);
		this.#at += 4 + bytes;
	}

	#int16(value: number): void {
		this.#room(2);
		this.#at = this.#buffer.writeInt16BE(value, this.#at);
	}

	#int32(value: number): void {
		this.#room(4);
		this.#at = this.#buffer.writeInt32BE(value, this.#at);
	}

	#bytes(bytes: Uint8Array): void {
		this.#room(bytes.length);
		this.#buffer.set(bytes, this.#at);
		this.#at += bytes.length;
	}

	/** Makes room for the next bytes in one piece. */
	#room(bytes: number): void {
		if (this.#at + bytes <= this.#buffer.length) return;
		this.#pieces.push(this.#buffer.subarray(0, this.#at));
		this.#buffer = Buffer.allocUnsafe(Math.max(PIECE_BYTES, bytes));
		this.#at = 0;
	}
}
