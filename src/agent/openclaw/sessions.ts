/**
 * Maps the host's sessions to those of the log. A reset keeps the host's id but begins another conversation, which is a
 * session of its own, with a number after the id, so that nothing the user dropped comes back. The host's hooks report a
 * reset in any order and more than once, and a list without messages shows one. If they disagree, the list is right.
 */

import { asTime, type JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import { ownerOfKey, ownerOfSession } from "../../state/session/owner.ts";
import type { AgentMessage } from "./contract.ts";
import { type HostState, type RowIds, readRows, readState, sessionName, stateData, writeState } from "./host-state.ts";
import { nameMessages, stampOf } from "./message-names.ts";
import { type Extent, OpenClawSession, type RecordedMessages, type RowMessage, type SessionOrigin } from "./session.ts";
import { lifeOf } from "./subagents.ts";
import type { TranscriptRow } from "./transcript-pages.ts";
import { OPENCLAW_HOST } from "./translate.ts";

export interface SessionsOptions {
	readonly engine: Engine;
	readonly cwd: string;
	readonly now: () => number;
}

export interface HostSession {
	readonly sessionId: string;
	readonly sessionKey?: string | undefined;
}

/** Rows of the host's transcript, and the cursor after them. */
interface ReadRows {
	readonly cursor: string;
	readonly rows: readonly RowIds[];
}

export class Sessions {
	readonly #options: SessionsOptions;
	readonly #open = new Map<string, OpenClawSession>();
	/** Valid while `newest` is the newest event of the log. */
	readonly #states = new Map<string, { readonly newest: number; readonly state: HostState }>();
	/** Rows read that brought nothing new, by the host's id. Lost with the process, they are read again. */
	readonly #unwritten = new Map<string, ReadRows>();

	constructor(options: SessionsOptions) {
		this.#options = options;
	}

	of(host: HostSession): OpenClawSession {
		return this.#nth(host, this.state(host).nth);
	}

	state({ sessionId }: HostSession): HostState {
		const { engine } = this.#options;
		const newest = engine.log.newestSeq();
		const held = this.#states.get(sessionId);
		const state = held?.newest === newest ? held.state : readState(engine, sessionId);
		// A transaction may still be rolled back, and another event then gets this seq.
		if (held?.newest !== newest && !engine.log.tables.mayChange()) this.#states.set(sessionId, { newest, state });
		const unwritten = this.#unwritten.get(sessionId);
		return unwritten ? { ...state, cursor: unwritten.cursor } : state;
	}

	/** The state with the rows that no event holds yet, for the receipt of a turn. Undefined: there are none. */
	unwrittenState(host: HostSession): JsonObject | undefined {
		const unwritten = this.#unwritten.get(host.sessionId);
		return unwritten && stateData(this.state(host), unwritten.rows);
	}

	/** The receipt is in the log. */
	stateWritten({ sessionId }: HostSession): void {
		this.#unwritten.delete(sessionId);
	}

	/** Writes what no receipt took along. */
	flush(): void {
		for (const sessionId of [...this.#unwritten.keys()]) this.#write({ sessionId }, {});
	}

	#write(host: HostSession, change: Partial<HostState>, rows: readonly RowIds[] = []): void {
		const { engine, now } = this.#options;
		const { sessionId } = host;
		const unwritten = this.#unwritten.get(sessionId)?.rows ?? [];
		writeState(engine, sessionId, { ...this.state(host), ...change }, [...unwritten, ...rows], now());
		this.#unwritten.delete(sessionId);
	}

	/** Records the fields that differ. */
	change(host: HostSession, change: Partial<HostState>): void {
		const { engine } = this.#options;
		const isSame = () => {
			const state = this.state(host);
			return (Object.keys(change) as (keyof HostState)[]).every((key) => change[key] === state[key]);
		};
		if (isSame()) return;
		engine.log.transaction(() => {
			if (!isSame()) this.#write(host, change);
		});
	}

	/** Records new messages in the session to which they belong. */
	record(
		host: HostSession,
		messages: readonly AgentMessage[],
		extent: Extent,
	): RecordedMessages & { session: OpenClawSession } {
		const session = this.of(host);
		const recorded = session.record(messages, extent);
		if (recorded) return { ...recorded, session };
		const next = this.reset(host);
		return { ...(next.record(messages, extent) ?? { entries: [], added: 0 }), session: next };
	}

	/**
	 * Records a page of the host's transcript and the cursor after it, in one transaction. A page without a new message waits for
	 * the receipt of the turn: one event a turn is enough. `again`: the transcript is read
	 * again from its beginning, so the host's id alone may identify a row. Returns how many messages were new.
	 */
	recordRows(
		host: HostSession,
		rows: readonly TranscriptRow[],
		{ cursor, again }: { readonly cursor: string | undefined; readonly again: boolean },
	): number {
		return this.#options.engine.log.transaction(() => {
			const state = this.state(host);
			const named = nameEach(rows);
			const sessionOf = this.#rowSessions(host, state, again);
			let added = 0;
			let run: { readonly session: OpenClawSession; readonly messages: RowMessage[] } | undefined;
			const flush = () => {
				if (run) added += run.session.recordNamed(run.messages);
				run = undefined;
			};
			for (const { row, entry } of named) {
				const session = sessionOf(row, entry);
				if (run?.session !== session) flush();
				if (!session) continue;
				run ??= { session, messages: [] };
				run.messages.push({ message: row.message, entry });
			}
			flush();
			const read = named.map(({ row, entry }): RowIds => [row.entryId, entry]);
			if (read.length === 0 && cursor === state.cursor) return added;
			if (added > 0 || cursor === undefined) this.#write(host, { cursor }, read);
			else {
				const before = this.#unwritten.get(host.sessionId)?.rows ?? [];
				this.#unwritten.set(host.sessionId, { cursor, rows: [...before, ...read] });
			}
			return added;
		});
	}

	/** The session in which to record a row; undefined: the log has the row already. */
	#rowSessions(
		host: HostSession,
		state: HostState,
		again: boolean,
	): (row: TranscriptRow, name: string) => OpenClawSession | undefined {
		const known = new KnownRows(this.#options.engine, host.sessionId);
		return (row, name) => {
			const time = timeOf(row);
			const isOlder = state.nth > 1 && time !== undefined && time < state.since;
			const oldest = isOlder || again ? 1 : state.nth;
			for (let nth = state.nth; nth >= oldest; nth--) {
				if (this.#nth(host, nth).has(name, row.message)) return undefined;
			}
			if (again && known.has(row.entryId)) return undefined;
			return this.#nth(host, isOlder ? state.nth - 1 : state.nth);
		};
	}

	/**
	 * Begins another conversation under the same id. `at`: rows from then on belong to it. A conversation without messages
	 * stays: this is the same reset, reported again.
	 */
	reset(host: HostSession, at = this.#options.now()): OpenClawSession {
		const { engine, now } = this.#options;
		const open = this.of(host);
		if (!open.hasMessages()) return open;
		return engine.log.transaction(() => {
			const state = this.state(host);
			const current = this.#nth(host, state.nth);
			if (!current.hasMessages()) return current;
			this.#write(host, { nth: state.nth + 1, since: at, resetAt: now() });
			return this.#nth(host, state.nth + 1);
		});
	}

	/** The host reports that the conversation ended `at` that time. A conversation that began later came from this reset. */
	endConversation(host: HostSession, at: number): void {
		if (at > (this.state(host).resetAt ?? 0)) this.reset(host, at);
	}

	/** The host shows an empty conversation: all messages that were read belong to the one before. */
	showNone(host: HostSession, isCaughtUp: boolean): void {
		const newest = isCaughtUp ? this.of(host).newestTime() : undefined;
		this.reset(host, newest === undefined ? undefined : newest + 1);
	}

	/**
	 * Returns the session to which the messages belong. If the host shows messages of an earlier conversation and none of
	 * this one, there was no reset, or it was undone.
	 */
	follow(host: HostSession, messages: readonly AgentMessage[]): OpenClawSession {
		const state = this.state(host);
		const current = this.#nth(host, state.nth);
		const first = messages.find((message) => stampOf(message) !== undefined);
		if (state.nth === 1 || !first) return current;
		const names = nameMessages(messages);
		const hasAny = (session: OpenClawSession) => messages.some((message, at) => session.has(names[at] ?? "", message));
		if (hasAny(current)) return current;
		for (let nth = state.nth - 1; nth >= 1; nth--) {
			const earlier = this.#nth(host, nth);
			if (!hasAny(earlier)) continue;
			this.change(host, { nth, since: 0 });
			return earlier;
		}
		return current;
	}

	#nth(host: HostSession, nth: number): OpenClawSession {
		const session = sessionName(host.sessionId, nth);
		const known = this.#open.get(session);
		if (known) return known;
		const { sessionId, sessionKey } = host;
		const opened = new OpenClawSession({
			...this.#options,
			ref: { session, host: OPENCLAW_HOST },
			host: { sessionId, sessionKey },
			origin: () => this.#originOf(host, nth),
		});
		this.#open.set(session, opened);
		return opened;
	}

	/** A sub-agent has the owner of the session that it works for, any other session the one that its key names. */
	#originOf(host: HostSession, nth: number): SessionOrigin {
		const { engine, now } = this.#options;
		const { sessionId, sessionKey } = host;
		const own = sessionKey === undefined ? ownerOfSession(sessionId) : ownerOfKey(sessionKey);
		const life = nth === 1 ? lifeOf(engine, now(), host) : undefined;
		if (!life) return { owner: own };
		const owner = engine.scope({ session: life.parent, host: OPENCLAW_HOST }).owner ?? own;
		return { owner, worksFor: life.parent, forkedFrom: life.isFork ? life.parent : undefined };
	}
}

/** The log's session of the host's current conversation. */
export function currentName(engine: Engine, sessionId: string): string {
	return sessionName(sessionId, readState(engine, sessionId).nth);
}

/** Rows that were read before, by the host's id; loaded only if nothing else identifies a row. */
class KnownRows {
	readonly #engine: Engine;
	readonly #sessionId: string;
	#ids: Set<string> | undefined;

	constructor(engine: Engine, sessionId: string) {
		this.#engine = engine;
		this.#sessionId = sessionId;
	}

	has(entryId: string): boolean {
		this.#ids ??= new Set([...readRows(this.#engine, this.#sessionId)].map(([id]) => id));
		return this.#ids.has(entryId);
	}
}

export function nameRows(rows: readonly TranscriptRow[]): string[] {
	return nameEach(rows).map(({ entry }) => entry);
}

/** A message without a time is named by the host's id of its row. */
function nameEach(rows: readonly TranscriptRow[]): { readonly row: TranscriptRow; readonly entry: string }[] {
	const names = nameMessages(rows.map(({ message }) => message));
	return rows.map((row, at) => {
		const name = stampOf(row.message) === undefined ? undefined : names[at];
		return { row, entry: name ?? `oc:row ${row.entryId}` };
	});
}

function timeOf({ message, createdAt }: TranscriptRow): number | undefined {
	return asTime(message["timestamp"]) ?? asTime(createdAt);
}
