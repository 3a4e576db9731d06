/**
 * The only way into the log. One transaction writes the events, their links of the hash chain, the names they use and the
 * inline folds. An event whose (session, host, type, entry) is already there is not written again.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { EngineError } from "../base/error/engine-error.ts";
import { MAX_DATE_MS } from "../base/json/read.ts";
import { one, only } from "../base/sqlite/rows.ts";
import { wrongIn } from "./event/check.ts";
import type { AnyPayload, EventRecord, NewEvent } from "./event/types.ts";
import type { StoredRecord } from "./read.ts";
import { isPrunable } from "./retention/prunable-types.ts";
import { type Blobs, parseHash } from "./store/blob.ts";
import { GENESIS, hashFromBytes, link } from "./store/chain.ts";
import type { Packs, PackWriter } from "./store/pack.ts";
import { headText, payloadText } from "./store/payload-text.ts";
import { formatUuid, isFarAhead, parseUuid, type Uuid, UuidSource } from "./store/uuid.ts";
import type { WordDictionary } from "./store/word-dictionary.ts";
import type { AppendResult } from "./types.ts";

/** A larger payload goes to a blob. */
const MAX_PAYLOAD_BYTES = 1_000_000;

/** An event of an archive, an export or a fleet keeps the identity that it was given there. */
export type AppendableEvent = NewEvent & {
	readonly id?: string | undefined;
	readonly origin?: string | undefined;
	/** The payload's exact text, where it is known. */
	readonly text?: string | undefined;
};

export interface AppendOptions {
	/** Compresses the payloads on their way in: for large batches such as an import. */
	readonly packed?: boolean | undefined;
	/** Accepts events that name a missing blob: it was lost where they come from, and `verify` reports it. */
	readonly lostBlobs?: "take" | undefined;
}

export interface AppendParts {
	readonly db: DatabaseSync;
	readonly words: WordDictionary;
	readonly packs: Packs;
	readonly blobs: Blobs;
	readonly origin: string;
	readonly now: () => number;
}

const NO_ID = new Uint8Array(16);

interface LogHead {
	readonly seq: number;
	readonly id: Uint8Array | undefined;
	readonly hash: string;
}

type PayloadPlace = string | number | Uint8Array;

export class Appender {
	readonly #parts: AppendParts;
	readonly #uuids = new UuidSource();
	readonly #newest: StatementSync;
	readonly #head: StatementSync;
	readonly #find: StatementSync;
	readonly #insertRow: StatementSync;
	readonly #causeOf: StatementSync;
	readonly #hashOf: StatementSync;
	readonly #gapHash: StatementSync;
	readonly #arrive: StatementSync;
	readonly #newestOwn: StatementSync;
	/** Reused for every insert: SQLite copies it. */
	readonly #hashBytes = Buffer.alloc(32);
	#lastHead: LogHead | undefined;
	#lastMessage: EventDraft | undefined;

	constructor(parts: AppendParts) {
		this.#parts = parts;
		this.#newest = parts.db.prepare("SELECT max(seq) AS seq FROM event");
		this.#head = parts.db.prepare("SELECT id, hash FROM event WHERE seq = ?");
		this.#find = parts.db.prepare("SELECT seq FROM event WHERE session = ? AND type = ? AND entry = ? AND host = ?");
		this.#insertRow = parts.db.prepare(
			`INSERT INTO event (seq, id, origin, session, host, ts, type, v, cause, entry, tool, file, size, payload, hash)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session, type, entry, host) DO NOTHING`,
		);
		this.#causeOf = parts.db.prepare("SELECT cause FROM event WHERE seq = ?");
		this.#hashOf = parts.db.prepare("SELECT hash FROM event WHERE seq = ?");
		this.#gapHash = parts.db.prepare("SELECT hash FROM gap WHERE seq = ? LIMIT 1");
		this.#newestOwn = parts.db.prepare(
			"SELECT id FROM event WHERE seq NOT IN (SELECT seq FROM arrival) ORDER BY seq DESC LIMIT 1",
		);
		this.#arrive = parts.db.prepare(
			"INSERT INTO arrival (seq, at) VALUES (?, ?) ON CONFLICT DO UPDATE SET at = excluded.at",
		);
	}

	/** Call inside a transaction. `fold` sees the new records before the commit. */
	append(
		events: readonly AppendableEvent[],
		options: AppendOptions,
		fold: (records: readonly (EventRecord & { readonly size: number })[]) => void,
	): AppendResult {
		let head = this.#readHead();
		const now = this.#parts.now();
		const pack = options.packed ? this.#parts.packs.begin() : undefined;
		const seqs: number[] = [];
		const fresh: EventDraft[] = [];
		const start = head.seq;
		let newestId = this.#newestId(head, now);
		for (const [index, event] of events.entries()) {
			const given = readGiven(event);
			if ("wrong" in given) throw refusal(event, given.wrong, { index, of: events.length });
			const draft = new EventDraft(event, this.#parts, given);
			draft.seq = head.seq + 1;
			draft.cause = this.#cause(event, draft);
			const left = this.#prunedSeq(event, draft, start);
			if (left !== undefined) {
				seqs.push(left);
				continue;
			}
			const id = (event.id && givenUuid(event.id)) || this.#uuids.next(now, newestId);
			draft.idBytes = id.bytes;
			draft.id = id.text;
			const { hash, bytes } = link(head.hash, draft, draft.text);
			draft.hash = hash;
			draft.size = bytes.length;
			if (!this.#insert(draft, this.#place(draft, bytes, pack))) {
				seqs.push(this.#duplicateOf(draft));
				continue;
			}
			if (draft.blob && !this.#parts.blobs.use(draft.blob, draft.seq) && options.lostBlobs !== "take") {
				const name = `it names the blob ${hashFromBytes(draft.blob)}, which is not in the log. Put its bytes there first`;
				throw refusal(event, name, { index, of: events.length });
			}
			if (!event.id || !isFarAhead(id.bytes, now)) newestId = id.bytes;
			// An id made elsewhere does not say when the event entered this log.
			if (event.id) this.#arrive.run(draft.seq, now);
			if (pack && draft.size <= MAX_PAYLOAD_BYTES) pack.add(draft.seq, bytes);
			if (draft.type === "Message" && draft.entry !== null) this.#lastMessage = draft;
			head = { seq: draft.seq, id: draft.idBytes, hash: draft.hash };
			seqs.push(draft.seq);
			fresh.push(draft);
		}
		pack?.end();
		if (fresh.length > 0) fold(fresh);
		this.#lastHead = head;
		return { seqs, added: fresh.length };
	}

	/** Call after a rollback. */
	forget(): void {
		this.#lastHead = undefined;
		this.#lastMessage = undefined;
	}

	/**
	 * The id that the next one must follow: ids rise even if the clock was set back. An id from elsewhere that claims to be
	 * far in the future does not count.
	 */
	#newestId({ id }: LogHead, now: number): Uint8Array | undefined {
		if (!id || !isFarAhead(id, now)) return id;
		return one<{ id: Uint8Array }>(this.#newestOwn)?.id;
	}

	/** Events never change, so a head that this process wrote is not read again. */
	#readHead(): LogHead {
		const seq = one<{ seq: number | null }>(this.#newest)?.seq ?? null;
		if (seq === null) return { seq: 0, id: undefined, hash: GENESIS };
		if (this.#lastHead?.seq === seq) return this.#lastHead;
		const row = only<{ id: Uint8Array; hash: Uint8Array }>(this.#head, seq);
		return { seq, id: row.id, hash: hashFromBytes(row.hash) };
	}

	/** Puts a pruned event back at its seq, if the chain proves it. Call inside a transaction. */
	putBack(event: StoredRecord): boolean {
		const previous = event.seq === 1 ? GENESIS : this.hashAt(event.seq - 1);
		if (!previous || this.#hashOf.get(event.seq)) return false;
		const { bytes, hash } = link(previous, event, event.text);
		if (hash !== event.hash) return false;
		const { entry, cause, text, ...fields } = event;
		const payload = JSON.parse(text) as AnyPayload;
		const draft = new EventDraft({ ...fields, payload, text, entry: entry ?? undefined }, this.#parts);
		draft.seq = event.seq;
		draft.cause = cause;
		draft.idBytes = parseUuid(event.id) ?? NO_ID;
		draft.hash = hash;
		draft.size = bytes.length;
		if (!this.#insert(draft, this.#place(draft, bytes))) return false;
		if (draft.blob) this.#parts.blobs.use(draft.blob, draft.seq);
		this.#arrive.run(draft.seq, this.#parts.now());
		return true;
	}

	/** Overwrites a damaged event at its seq. The caller has proved it. Call inside a transaction. */
	putAgain(event: StoredRecord): void {
		const { entry, cause, text, hash, ...fields } = event;
		const payload = JSON.parse(text) as AnyPayload;
		const draft = new EventDraft({ ...fields, payload, text, entry: entry ?? undefined }, this.#parts);
		const bytes = Buffer.from(text);
		draft.size = bytes.length;
		const place = this.#place(draft, bytes);
		this.#parts.db
			.prepare(
				`UPDATE event SET id = ?, origin = ?, session = ?, host = ?, ts = ?, type = ?, v = ?, cause = ?, entry = ?,
				tool = ?, file = ?, size = ?, payload = ?, hash = ? WHERE seq = ?`,
			)
			.run(
				parseUuid(event.id) ?? NO_ID,
				draft.originId,
				draft.sessionId,
				draft.hostId,
				draft.ts,
				draft.typeId,
				draft.v,
				cause,
				draft.entry,
				draft.toolId,
				draft.fileId,
				draft.size,
				place,
				Buffer.from(hash, "hex"),
				event.seq,
			);
		for (const blob of [place instanceof Uint8Array ? place : undefined, draft.blob]) {
			if (blob) this.#parts.blobs.use(blob, event.seq);
		}
	}

	/** The chain hash at a seq: the event's, or what pruning left of it. */
	hashAt(seq: number): string | undefined {
		const row = one<{ hash: Uint8Array }>(this.#hashOf, seq) ?? one<{ hash: Uint8Array }>(this.#gapHash, seq);
		return row && hashFromBytes(row.hash);
	}

	/** The seq of the event that is already there. */
	#duplicateOf({ sessionId, typeId, entry, hostId }: EventDraft): number {
		return only<{ seq: number }>(this.#find, sessionId, typeId, entry, hostId).seq;
	}

	#stored(session: number, type: number, entry: string, host: number): number | undefined {
		return one<{ seq: number }>(this.#find, session, type, entry, host)?.seq;
	}

	#cause(event: AppendableEvent, draft: EventDraft): number | null {
		if (event.cause === undefined) return null;
		if (typeof event.cause === "number") return event.cause;
		const entry = event.cause.message.toWellFormed();
		const last = this.#lastMessage;
		// Nearly always the message that was just written.
		if (last?.entry === entry && last.sessionId === draft.sessionId && last.hostId === draft.hostId) return last.seq;
		const type = this.#parts.words.find("Message");
		return type === undefined ? null : (this.#stored(draft.sessionId, type, entry, draft.hostId) ?? null);
	}

	/**
	 * The seq of a derived event that was pruned: importing its session again must not bring it back. Derived events followed
	 * their message directly, so the first missing seq there is theirs.
	 */
	#prunedSeq(event: AppendableEvent, draft: EventDraft, newest: number): number | undefined {
		const { cause, type, entry } = draft;
		if (typeof event.cause !== "object" || cause === null || cause > newest || !isPrunable(type)) return undefined;
		let seq = cause + 1;
		while (one<{ cause: number | null }>(this.#causeOf, seq)?.cause === cause) seq++;
		if (seq > newest || this.#causeOf.get(seq)) return undefined;
		return entry !== null && this.#stored(draft.sessionId, draft.typeId, entry, draft.hostId) === undefined
			? seq
			: undefined;
	}

	/** Where the payload goes: into its row, a blob or a pack. */
	#place(draft: EventDraft, bytes: Buffer, pack?: PackWriter): PayloadPlace {
		if (draft.size > MAX_PAYLOAD_BYTES) return this.#parts.blobs.put(bytes);
		return pack ? pack.offset : draft.text;
	}

	/** False: the log already has an event of this session, host, type and entry. */
	#insert(draft: EventDraft, place: PayloadPlace): boolean {
		this.#hashBytes.write(draft.hash, "hex");
		const { changes } = this.#insertRow.run(
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
			this.#hashBytes,
		);
		if (changes === 0) return false;
		if (place instanceof Uint8Array) this.#parts.blobs.use(place, draft.seq);
		return true;
	}
}

/** An event while it is being written. To the folds it is a record whose payload is parsed at its first use. */
class EventDraft implements EventRecord {
	seq = 0;
	id = "";
	cause: number | null = null;
	idBytes: Uint8Array = NO_ID;
	hash = GENESIS;
	readonly session: string;
	readonly host: string;
	readonly type: string;
	readonly origin: string;
	readonly entry: string | null;
	readonly ts: number;
	readonly v: number;
	readonly text: string;
	/** Bytes of the text. */
	size = 0;
	readonly sessionId: number;
	readonly hostId: number;
	readonly typeId: number;
	readonly originId: number;
	readonly toolId: number | null;
	readonly fileId: number | null;
	readonly blob: Uint8Array | undefined;
	readonly #given: CheckedEvent;
	#payload: AnyPayload | undefined;

	constructor(event: AppendableEvent, parts: AppendParts, given: CheckedEvent = {}) {
		const { words } = parts;
		const payload = event.payload as AnyPayload;
		this.session = event.session.toWellFormed();
		this.host = event.host.toWellFormed();
		this.type = event.type.toWellFormed();
		this.origin = event.origin?.toWellFormed() ?? parts.origin;
		this.entry = event.entry?.toWellFormed() ?? null;
		this.ts = Math.trunc(event.ts);
		this.v = event.v ?? 1;
		this.#given = given;
		this.text = event.text ?? payloadText(payload, event.raw);
		this.sessionId = words.intern(this.session);
		this.hostId = words.intern(this.host);
		this.typeId = words.intern(this.type);
		this.originId = words.intern(this.origin);
		this.toolId = internText(words, payload["tool"]);
		this.fileId = internText(words, payload["path"]);
		this.blob = parseHash(payload["blob"]);
	}

	/** Comes from the stored text, never from the caller's object: a rebuild must see the same. */
	get payload(): AnyPayload {
		this.#payload ??= this.#parse();
		return this.#payload;
	}

	/** Reuses what the check parsed. */
	#parse(): AnyPayload {
		const { text, raw } = this.#given;
		// SQLite stores half a surrogate pair as U+FFFD.
		if (!this.text.isWellFormed()) return JSON.parse(this.text.toWellFormed()) as AnyPayload;
		if (text) return text.value as AnyPayload;
		if (!raw) return JSON.parse(this.text) as AnyPayload;
		const head = headText(this.text, raw.chars);
		return Object.assign(JSON.parse(head) as Record<string, unknown>, { raw: raw.value });
	}
}

function givenUuid(text: string): Uuid | undefined {
	const bytes = parseUuid(text);
	return bytes && { bytes, text: formatUuid(bytes) };
}

function internText(words: WordDictionary, value: unknown): number | null {
	return typeof value === "string" && value.length > 0 && value.length <= 4096
		? words.intern(value.toWellFormed())
		: null;
}

/** The parts of an event that its check parsed. */
interface CheckedEvent {
	readonly text?: ParsedJson | undefined;
	readonly raw?: ParsedJson | undefined;
}

interface ParsedJson {
	readonly value: unknown;
	readonly chars: number;
}

function readGiven(event: AppendableEvent): CheckedEvent | { readonly wrong: string } {
	const wrong = wrongFields(event);
	if (wrong !== undefined) return { wrong };
	const { payload } = event;
	const raw = event.raw === undefined ? undefined : parsedRaw(event.raw, event.parsed);
	if (event.raw !== undefined && !raw) return { wrong: "raw must be JSON" };
	const text = event.text === undefined ? undefined : parseJson(event.text);
	if (event.text !== undefined && !text) return { wrong: "its text must be JSON" };
	const inside = wrongIn(event.type, event.v ?? 1, raw ? { ...payload, raw: null } : payload);
	return inside === undefined ? { raw, text } : { wrong: inside };
}

type EventFields = Pick<AppendableEvent, "type" | "session" | "host" | "ts" | "v" | "payload">;

/** The fault of an event's fields; undefined: none. */
export function wrongFields({ type, session, host, ts, v, payload }: EventFields): string | undefined {
	if (typeof type !== "string" || type === "") return "type must be a name";
	if (typeof session !== "string" || session === "") return "session must be a name";
	if (typeof host !== "string" || host === "") return "host must be a name";
	if (!Number.isFinite(ts) || Math.abs(ts) > MAX_DATE_MS) return "ts must be a time in ms since the epoch";
	if (v !== undefined && !Number.isSafeInteger(v)) return "v must be a whole number";
	const isObject = payload !== null && typeof payload === "object" && !Array.isArray(payload);
	return isObject ? undefined : "payload must be a plain object";
}

function parsedRaw(raw: string, parsed: unknown): ParsedJson | undefined {
	return parsed === undefined ? parseJson(raw) : { value: parsed, chars: raw.length };
}

function parseJson(text: string): ParsedJson | undefined {
	try {
		return typeof text === "string" ? { value: JSON.parse(text), chars: text.length } : undefined;
	} catch {
		return undefined;
	}
}

function refusal({ type }: AppendableEvent, wrong: string, { index, of }: { index: number; of: number }): EngineError {
	const which = of === 1 ? "The event" : `Event ${index + 1} of ${of}`;
	const name = typeof type === "string" && type !== "" ? ` (${type.slice(0, 80)})` : "";
	return new EngineError("bad-event", `${which}${name} was refused, nothing was written: ${wrong}.`);
}
