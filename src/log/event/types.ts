import type { Static } from "typebox";
import type { EVENT_SCHEMAS } from "./schema.ts";

type Schemas = typeof EVENT_SCHEMAS;

/** The types that this version knows. The log takes and keeps any other name too. */
export type KnownType = keyof Schemas;

/** The payload of a known event type. */
export type Payload<T extends KnownType> = Static<Schemas[T]>;

/** A payload as it comes out of the log: known fields are read with care, because another version may have written it. */
export type AnyPayload = Readonly<Record<string, unknown>>;

/** Names the Message event of the same session that has this host entry; resolved to its seq while appending. */
export interface MessageRef {
	readonly message: string;
}

interface NewEventBase {
	/** The host's id of the session. */
	readonly session: string;
	/** pi, claude-code, openclaw, cli, … */
	readonly host: string;
	/** When it happened, ms since the epoch. Recorded sessions bring their own. */
	readonly ts: number;
	readonly v?: number | undefined;
	/** What led to it: a seq, or the message of this session with that entry. */
	readonly cause?: number | MessageRef | undefined;
	/** The host's own id of it. With session, host and type it is unique: replaying a session adds nothing. */
	readonly entry?: string | undefined;
	/**
	 * JSON text of the host's entry, byte for byte. It is stored as the payload's last key, `raw`, without being parsed
	 * and written again: key order, number spelling and escapes stay as they were.
	 */
	readonly raw?: string | undefined;
	/** What `raw` says, where it was parsed just now and belongs to nobody who changes it. */
	readonly parsed?: unknown;
}

/** An event on its way into the log. */
export type NewEvent =
	| { [T in KnownType]: NewEventBase & { readonly type: T; readonly payload: GivenPayload<T> } }[KnownType]
	| UnknownEvent;

/** A payload before it is written: an optional field may be given as undefined, and is then not stored. */
export type GivenPayload<T extends KnownType> = AllowUndefined<Omit<Payload<T>, "raw">>;

type AllowUndefined<Fields> = {
	[K in keyof Fields]: Record<never, never> extends Pick<Fields, K> ? Fields[K] | undefined : Fields[K];
};

/** An event of a type that this version does not know (another version wrote it): kept as it is. */
export interface UnknownEvent extends NewEventBase {
	readonly type: `${string}`;
	readonly payload: AnyPayload;
}

/** An event in the log. */
export interface EventRecord {
	readonly seq: number;
	/** UUIDv7. */
	readonly id: string;
	/** Id of the installation that wrote it. */
	readonly origin: string;
	readonly session: string;
	readonly host: string;
	readonly ts: number;
	readonly type: string;
	readonly v: number;
	readonly cause: number | null;
	readonly entry: string | null;
	readonly payload: AnyPayload;
	/**
	 * Set where the payload cannot be taken at its word: it is not what its type says, or its bytes are lost (it is then
	 * empty). Whoever reads passes over it.
	 */
	readonly wrong?: string | undefined;
}

/** True when the record is of a known type and well formed; its payload is then read as that type's. */
export function isA<T extends KnownType>(
	record: EventRecord,
	type: T,
): record is EventRecord & { payload: Payload<T> } {
	return record.type === type && record.wrong === undefined;
}

/** Names an event within its session and host by its type and the entry that it was read from. */
export function entryName({
	type,
	entry,
}: {
	readonly type: string;
	readonly entry?: string | null | undefined;
}): string {
	return `${type} ${entry ?? ""}`;
}
