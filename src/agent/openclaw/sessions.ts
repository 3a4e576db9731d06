/**
 * Which session of the log is this? The host's id names it. A reset keeps the id, but begins another conversation: from
 * then on it is a session of its own, with a number behind the id, so that nothing forgotten comes back. A reset is told by
 * the host's hooks, in any order and more than once, and shown by a list without messages; the host's own list is right
 * where they disagree.
 */

import { asTime } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { AgentMessage } from "./contract.ts";
import { type HostState, type Row, readRows, readState, writeState } from "./host-state.ts";
import { nameMessages, stampOf } from "./identity.ts";
import { type Extent, OpenClawSession, type Recorded } from "./session.ts";
import { forkedFrom } from "./subagents.ts";
import type { TranscriptRow } from "./transcript.ts";
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

export class Sessions {
	readonly #options: SessionsOptions;
	readonly #open = new Map<string, OpenClawSession>();
	/** As the log was when its newest event was this. */
	readonly #states = new Map<string, { readonly newest: number; readonly state: HostState }>();

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
		if (held?.newest === newest) return held.state;
		const state = readState(engine, sessionId);
		// Inside a transaction it may still be rolled back, and another event gets this seq.
		if (!engine.log.tables.mayChange()) this.#states.set(sessionId, { newest, state });
		return state;
	}

	/** Writes down what is different now. */
	change(host: HostSession, change: Partial<HostState>): void {
		const { engine, now } = this.#options;
		const isSame = () => {
			const state = this.state(host);
			return (Object.keys(change) as (keyof HostState)[]).every((key) => change[key] === state[key]);
		};
		if (isSame()) return;
		engine.log.transaction(() => {
			if (!isSame()) writeState(engine, host.sessionId, { ...this.state(host), ...change }, [], now());
		});
	}

	/** Records what is new, in the session that the messages belong to. */
	record(
		host: HostSession,
		messages: readonly AgentMessage[],
		extent: Extent,
	): Recorded & { session: OpenClawSession } {
		const session = this.of(host);
		const recorded = session.record(messages, extent);
		if (recorded) return { ...recorded, session };
		const next = this.reset(host);
		return { ...(next.record(messages, extent) ?? { entries: [], added: 0 }), session: next };
	}

	/**
	 * A page of the host's transcript, and how far it was read: one transaction. `again`: the transcript is read from its
	 * beginning once more, so a row may be known by the host's id alone. Gives how many were new.
	 */
	recordRows(
		host: HostSession,
		rows: readonly TranscriptRow[],
		{ cursor, again }: { readonly cursor: string | undefined; readonly again: boolean },
	): number {
		const { engine, now } = this.#options;
		return engine.log.transaction(() => {
			const state = this.state(host);
			const names = nameRows(rows);
			const known = new KnownRows(engine, host.sessionId);
			const sessionOf = (row: TranscriptRow, name: string): OpenClawSession | undefined => {
				const time = timeOf(row);
				const isOlder = state.nth > 1 && time !== undefined && time < state.since;
				const oldest = isOlder || again ? 1 : state.nth;
				for (let nth = state.nth; nth >= oldest; nth--) {
					if (this.#nth(host, nth).has(name, row.message)) return undefined;
				}
				if (again && known.has(row.entryId)) return undefined;
				return this.#nth(host, isOlder ? state.nth - 1 : state.nth);
			};
			let added = 0;
			let run: { session: OpenClawSession; messages: AgentMessage[]; entries: string[] } | undefined;
			const flush = () => {
				if (run) added += run.session.recordNamed(run.messages, run.entries);
				run = undefined;
			};
			for (const [at, row] of rows.entries()) {
				const session = sessionOf(row, names[at]!);
				if (!session) {
					flush();
					continue;
				}
				if (run?.session !== session) flush();
				run ??= { session, messages: [], entries: [] };
				run.messages.push(row.message);
				run.entries.push(names[at]!);
			}
			flush();
			const read = rows.map(({ entryId }, at): Row => [entryId, names[at]!]);
			if (read.length > 0 || cursor !== state.cursor)
				writeState(engine, host.sessionId, { ...state, cursor }, read, now());
			return added;
		});
	}

	/**
	 * The conversation starts again under the same id. `at`: rows from then on belong to the new one. Told again before
	 * anything was said, it is the same reset.
	 */
	reset(host: HostSession, at = this.#options.now()): OpenClawSession {
		const { engine, now } = this.#options;
		const quiet = this.of(host);
		if (!quiet.hasMessages()) return quiet;
		return engine.log.transaction(() => {
			const state = this.state(host);
			const current = this.#nth(host, state.nth);
			if (!current.hasMessages()) return current;
			writeState(engine, host.sessionId, { ...state, nth: state.nth + 1, since: at, resetAt: now() }, [], now());
			return this.#nth(host, state.nth + 1);
		});
	}

	/** The host said that the conversation had ended, `at` that time. What began since then was begun by this very reset. */
	endConversation(host: HostSession, at: number): void {
		if (at > (this.state(host).resetAt ?? 0)) this.reset(host, at);
	}

	/** The host shows none of the conversation. Everything that was read of it belongs to the one before. */
	showNone(host: HostSession, isCaughtUp: boolean): void {
		const newest = isCaughtUp ? this.of(host).newestTime() : undefined;
		this.reset(host, newest === undefined ? undefined : newest + 1);
	}

	/**
	 * The host shows messages of the conversation before, and none of this one: it was no reset, or one that was taken back.
	 * Gives the session that the messages belong to.
	 */
	follow(host: HostSession, messages: readonly AgentMessage[]): OpenClawSession {
		const state = this.state(host);
		const current = this.#nth(host, state.nth);
		const first = messages.find((message) => stampOf(message) !== undefined);
		if (state.nth === 1 || !first) return current;
		const names = nameMessages(messages);
		if (messages.some((message, at) => current.has(names[at]!, message))) return current;
		for (let nth = state.nth - 1; nth >= 1; nth--) {
			if (!messages.some((message, at) => this.#nth(host, nth).has(names[at]!, message))) continue;
			this.change(host, { nth, since: 0 });
			return this.#nth(host, nth);
		}
		return current;
	}

	#nth(host: HostSession, nth: number): OpenClawSession {
		const session = nameOf(host.sessionId, nth);
		const known = this.#open.get(session);
		if (known) return known;
		const parent = nth === 1 ? forkedFrom(this.#options.engine, this.#options.now(), host) : undefined;
		const { sessionId, sessionKey } = host;
		const opened = new OpenClawSession({
			...this.#options,
			ref: { session, host: OPENCLAW_HOST },
			host: { sessionId, sessionKey },
			parent,
		});
		this.#open.set(session, opened);
		return opened;
	}
}

/** The session of the log in which a session of the host goes on now. */
export function currentName(engine: Engine, sessionId: string): string {
	return nameOf(sessionId, readState(engine, sessionId).nth);
}

function nameOf(sessionId: string, nth: number): string {
	return nth === 1 ? sessionId : `${sessionId}~${nth}`;
}

/** Rows that were read before, by the host's id; asked only where nothing else tells. */
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

/** A row without a time has the host's id to go by. */
export function nameRows(rows: readonly TranscriptRow[]): string[] {
	const names = nameMessages(rows.map(({ message }) => message));
	return rows.map(({ message, entryId }, at) => (stampOf(message) === undefined ? `oc:row ${entryId}` : names[at]!));
}

function timeOf({ message, createdAt }: TranscriptRow): number | undefined {
	return asTime(message["timestamp"]) ?? asTime(createdAt);
}
