import type { Static } from "typebox";
import type { EVENT_SCHEMAS } from "./schema.ts";

type Schemas = typeof EVENT_SCHEMAS;

/** The types that this version knows. The log also accepts and keeps any other. */
export type KnownType = keyof Schemas;

/** The payload of a known event type. */
export type Payload<T extends KnownType> = Static<Schemas[T]>;

/** A payload from the log. Check each field: another version may have written it. */
export type AnyPayload = Readonly<Record<string, unknown>>;

/** The Message event of the same session with this entry; resolved to its seq while appending. */
export interface MessageRef {
	readonly message: string;
}

interface NewEventBase {
	/** The agent's id of the session. */
	readonly session: string;
	/** pi, claude-code, openclaw, cli, … */
	readonly host: string;
	/** When it happened, ms since the epoch. Recorded sessions bring their own times. */
	readonly ts: number;
	readonly v?: number | undefined;
	/** What led to it: a seq, or the message of this session with that entry. */
	readonly cause?: number | MessageRef | undefined;
	/** The agent's own id of it. Unique with session, host and type: importing a session twice adds nothing. */
	readonly entry?: string | undefined;
	/**
	 * JSON text of the agent's entry, byte for byte. It is stored as the payload's last key, `raw`, without being parsed and
	 * rewritten: key order, number spelling and escapes stay.
	 */
	readonly raw?: string | undefined;
	/** `raw` parsed, if the caller has it and will not change it. */
	readonly parsed?: unknown;
}

/** An event on its way into the log. */
export type NewEvent =
	| { [T in KnownType]: NewEventBase & { readonly type: T; readonly payload: GivenPayload<T> } }[KnownType]
	| UnknownEvent;

/** A payload before it is written. An optional field may be undefined and is then not stored. */
export type GivenPayload<T extends KnownType> = AllowUndefined<Omit<Payload<T>, "raw">>;

type AllowUndefined<Fields> = {
	[K in keyof Fields]: Record<never, never> extends Pick<Fields, K> ? Fields[K] | undefined : Fields[K];
};

/** An event of a type that only another version knows: kept as it is. */
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
	 * Set if the payload cannot be trusted: it is malformed, or its bytes are lost and it is empty. Readers skip such a
	 * record.
	 */
	readonly wrong?: string | undefined;
}

/** True: the record is of this type and well formed, so its payload has the type's shape. */
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
