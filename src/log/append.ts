/**
 * The one way in. One transaction: the events, their place in the hash chain, the names they use, and the folds that
 * belong inside. An event whose (session, host, type, entry) is there already is not written again.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { EngineError } from "../error/engine-error.ts";
import type { AnyPayload, EventRecord, NewEvent } from "../event/types.ts";
import { type Blobs, parseHash } from "./blob.ts";
import { chainHash, GENESIS } from "./chain.ts";
import { PACK_BYTES, type Packs } from "./pack.ts";
import { payloadText } from "./payload.ts";
import type { StoredRecord } from "./read.ts";
import type { AppendResult } from "./types.ts";
import { formatUuid, parseUuid, UuidSource } from "./uuid.ts";
import type { Words } from "./words.ts";

/** A payload of more bytes goes to a blob. */
export const MAX_PAYLOAD_BYTES = 1_000_000;

/** An event that keeps the identity it was given elsewhere, when an archive or an export is read back in. */
export type AppendableEvent = NewEvent & {
	readonly id?: string;
	readonly origin?: string;
	/** The payload's exact text, where it is known. */
	readonly text?: string;
};

export interface AppendParts {
	readonly db: DatabaseSync;
	readonly words: Words;
	readonly packs: Packs;
	readonly blobs: Blobs;
	readonly origin: string;
	readonly now: () => number;
}

type Place = string | number | Uint8Array;

export class Appender {
	readonly #parts: AppendParts;
	readonly #uuids = new UuidSource();
	readonly #head: StatementSync;
	readonly #find: StatementSync;
	readonly #findId: StatementSync;
	readonly #insert: StatementSync;
	readonly #hashOf: StatementSync;
	readonly #gapHash: StatementSync;

	constructor(parts: AppendParts) {
		this.#parts = parts;
		this.#head = parts.db.prepare("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1");
		this.#find = parts.db.prepare("SELECT seq FROM event WHERE session = ? AND type = ? AND entry = ? AND host = ?");
		this.#findId = parts.db.prepare("SELECT seq FROM event WHERE id = ?");
		this.#insert = parts.db.prepare(
			`INSERT INTO event (seq, id, origin, session, host, ts, type, v, cause, entry, tool, file, size, payload, hash)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		);
		this.#hashOf = parts.db.prepare("SELECT hash FROM event WHERE seq = ?");
		this.#gapHash = parts.db.prepare("SELECT hash FROM gap WHERE seq = ? LIMIT 1");
	}

	/** Inside a transaction. `fold` sees the new records before it commits. */
	append(events: readonly AppendableEvent[], fold: (records: readonly EventRecord[]) => void): AppendResult {
		const head = this.#head.get() as { seq: number; hash: Uint8Array } | undefined;
		let seq = head?.seq ?? 0;
		let hash = head?.hash ?? GENESIS;
		const seqs: number[] = [];
		const fresh: Draft[] = [];
		const inBatch = new Map<string, number>();

		for (const event of events) {
			const draft = new Draft(event, this.#parts);
			const known = this.#known(draft, event, inBatch);
			if (known !== undefined) {
				seqs.push(known);
				continue;
			}
			draft.seq = ++seq;
			draft.cause = this.#cause(event, draft, inBatch);
			draft.idBytes = (event.id && parseUuid(event.id)) || this.#uuids.next(this.#parts.now());
			draft.id = formatUuid(draft.idBytes);
			hash = draft.hash = chainHash(hash, draft, draft.text);
			if (draft.entry !== null) inBatch.set(draft.key, seq);
			seqs.push(seq);
			fresh.push(draft);
		}

		const places = this.#place(fresh);
		for (const [index, draft] of fresh.entries()) this.#write(draft, places[index]!);
		if (fresh.length > 0) fold(fresh);
		return { seqs, added: fresh.length };
	}

	/** Puts an event back into a gap that it left, if the chain proves that it stood there. Inside a transaction. */
	putBack(event: StoredRecord): boolean {
		const previous = event.seq === 1 ? GENESIS : this.#hashAt(event.seq - 1);
		if (!previous || this.#hashOf.get(event.seq)) return false;
		if (Buffer.compare(chainHash(previous, event, event.text), event.hash) !== 0) return false;
		const { entry, cause, text, hash, ...fields } = event;
		const payload = JSON.parse(text) as AnyPayload;
		const draft = new Draft({ ...fields, payload, text, ...(entry === null ? {} : { entry }) }, this.#parts);
		draft.seq = event.seq;
		draft.cause = cause;
		draft.idBytes = parseUuid(event.id) ?? GENESIS;
		draft.hash = hash;
		this.#write(draft, draft.size > MAX_PAYLOAD_BYTES ? this.#parts.blobs.put(Buffer.from(text)) : text);
		return true;
	}

	#hashAt(seq: number): Uint8Array | undefined {
		const row = (this.#hashOf.get(seq) ?? this.#gapHash.get(seq)) as { hash: Uint8Array } | undefined;
		return row?.hash;
	}

	#known(draft: Draft, event: AppendableEvent, inBatch: ReadonlyMap<string, number>): number | undefined {
		if (draft.entry !== null) {
			const row = inBatch.get(draft.key) ?? this.#stored(draft.sessionId, draft.typeId, draft.entry, draft.hostId);
			if (row !== undefined) return row;
		}
		const id = event.id && parseUuid(event.id);
		return id ? (this.#findId.get(id) as { seq: number } | undefined)?.seq : undefined;
	}

	#stored(session: number, type: number, entry: string, host: number): number | undefined {
		return (this.#find.get(session, type, entry, host) as { seq: number } | undefined)?.seq;
	}

	#cause(event: AppendableEvent, draft: Draft, inBatch: ReadonlyMap<string, number>): number | null {
		if (event.cause === undefined) return null;
		if (typeof event.cause === "number") return event.cause;
		const entry = event.cause.message.toWellFormed();
		const type = this.#parts.words.find("Message");
		if (type === undefined) return null;
		const key = entryKey(draft.sessionId, type, entry, draft.hostId);
		return inBatch.get(key) ?? this.#stored(draft.sessionId, type, entry, draft.hostId) ?? null;
	}

	/** Where each payload will lie: in its row, in a blob, or (for a large batch) in packs. */
	#place(drafts: readonly Draft[]): Place[] {
		const bytes = drafts.reduce((sum, draft) => sum + draft.size, 0);
		const packing = drafts.length > 1 && bytes >= PACK_BYTES;
		if (packing) while (this.#parts.packs.settle({ all: true }));
		const places: Place[] = [];
		const packed: { seq: number; bytes: Buffer; index: number }[] = [];
		for (const [index, draft] of drafts.entries()) {
			if (draft.size > MAX_PAYLOAD_BYTES) places.push(this.#parts.blobs.put(Buffer.from(draft.text)));
			else places.push(draft.text);
			if (packing && draft.size <= MAX_PAYLOAD_BYTES) {
				packed.push({ seq: draft.seq, bytes: Buffer.from(draft.text), index });
			}
		}
		const offsets = this.#parts.packs.write(packed);
		for (const [at, { index }] of packed.entries()) places[index] = offsets[at]!;
		return places;
	}

	#write(draft: Draft, place: Place): void {
		this.#insert.run(
			draft.seq,
			draft.idBytes,
			draft.originId,
			draft.sessionId,
			draft.hostId,
			draft.ts,
			draft.typeId,
			draft.v,
			draft.cause,
			draft.entry,
			draft.toolId,
			draft.fileId,
			draft.size,
			place,
			draft.hash,
		);
		if (place instanceof Uint8Array) this.#parts.blobs.use(place, draft.seq);
		if (draft.blob) this.#parts.blobs.use(draft.blob, draft.seq);
	}
}

/** An event while it is being written; to the folds it is a record whose payload is parsed only if they look at it. */
class Draft implements EventRecord {
	seq = 0;
	id = "";
	cause: number | null = null;
	idBytes: Uint8Array = GENESIS;
	hash: Uint8Array = GENESIS;
	readonly session: string;
	readonly host: string;
	readonly type: string;
	readonly origin: string;
	readonly entry: string | null;
	readonly ts: number;
	readonly v: number;
	readonly text: string;
	readonly size: number;
	readonly sessionId: number;
	readonly hostId: number;
	readonly typeId: number;
	readonly originId: number;
	readonly toolId: number | null;
	readonly fileId: number | null;
	readonly blob: Uint8Array | undefined;
	#payload: AnyPayload | undefined;

	constructor(event: AppendableEvent, parts: AppendParts) {
		refuseBad(event);
		const { words } = parts;
		const payload = event.payload as AnyPayload;
		this.session = event.session.toWellFormed();
		this.host = event.host.toWellFormed();
		this.type = event.type.toWellFormed();
		this.origin = event.origin?.toWellFormed() ?? parts.origin;
		this.entry = event.entry?.toWellFormed() ?? null;
		this.ts = Math.trunc(event.ts);
		this.v = event.v ?? 1;
		this.text = event.text ?? payloadText(payload, event.raw);
		this.size = Buffer.byteLength(this.text);
		this.sessionId = words.intern(this.session);
		this.hostId = words.intern(this.host);
		this.typeId = words.intern(this.type);
		this.originId = words.intern(this.origin);
		this.toolId = internText(words, payload["tool"]);
		this.fileId = internText(words, payload["path"]);
		this.blob = parseHash(payload["blob"]);
	}

	get key(): string {
		return entryKey(this.sessionId, this.typeId, this.entry ?? "", this.hostId);
	}

	/** Parsed from the text that is stored, never the caller's object: a rebuild must see the same. */
	get payload(): AnyPayload {
		this.#payload ??= JSON.parse(this.text) as AnyPayload;
		return this.#payload;
	}
}

function entryKey(session: number, type: number, entry: string, host: number): string {
	return `${session}.${type}.${host}.${entry}`;
}

function internText(words: Words, value: unknown): number | null {
	return typeof value === "string" && value.length > 0 && value.length <= 4096
		? words.intern(value.toWellFormed())
		: null;
}

function refuseBad(event: AppendableEvent): void {
	const wrong =
		typeof event.type !== "string" || event.type === ""
			? "type must be a name"
			: typeof event.session !== "string" || event.session === ""
				? "session must be a name"
				: typeof event.host !== "string" || event.host === ""
					? "host must be a name"
					: !Number.isFinite(event.ts) || Math.abs(event.ts) > 8.64e15
						? "ts must be a time in ms since the epoch"
						: event.v !== undefined && !Number.isSafeInteger(event.v)
							? "v must be a whole number"
							: event.payload === null || typeof event.payload !== "object" || Array.isArray(event.payload)
								? "payload must be a plain object"
								: undefined;
	if (wrong) throw new EngineError("bad-event", `An event was refused, nothing was written: ${wrong}.`);
}
