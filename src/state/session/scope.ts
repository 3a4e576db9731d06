/**
 * The border between people: which sessions a session may read. This is the one place that decides it; recall, memory files,
 * state, tools and commands take a `Scope`, and a test of the imports keeps them from reading around it.
 *
 * A coding agent's session belongs to its project: it reads all sessions without an owner. A conversation belongs to its owner.
 * It may search every session of that owner. Unasked, it gets only what the owner has not reset: the newest session of each
 * line. A sub-agent reads as the session that it works for does.
 */

import type { Log } from "../../log/log.ts";
import type { SessionFilter } from "../../log/search/types.ts";
import { type SessionRef, sessionKey } from "../../log/session-ref.ts";
import { type OwnedSession, ownedSession } from "./owner-fold.ts";

export interface Scope {
	/** Undefined: the project. */
	readonly owner: string | undefined;
	/** The sessions that an explicit search may read. */
	readonly searched: SessionFilter;
	/** The sessions whose words may reach the model unasked. */
	readonly recalled: SessionFilter;
	/** Whose memory files it reads: those of each of these sessions. Undefined: the project's. */
	readonly homes: readonly SessionRef[] | undefined;
	/** For the project: the sessions that others own. */
	readonly others: readonly SessionRef[];
}

/** The user at the machine, who may read everything. */
export const EVERYONE: Scope = { owner: undefined, searched: "all", recalled: "all", homes: undefined, others: [] };

const COLUMNS = "session, host, owner, line, works_for, seq";
/** A sub-agent of a sub-agent, and so on. */
const MAX_STEPS = 20;

export class Scopes {
	readonly #log: Log;
	/** The agent whose sessions all have owners; one that is unknown reads nothing but itself. */
	readonly #ownedHost: string | undefined;

	constructor(log: Log, options: { readonly ownedHost?: string | undefined } = {}) {
		this.#log = log;
		this.#ownedHost = options.ownedHost;
	}

	of(ref: SessionRef): Scope {
		const session = { session: ref.session, host: ref.host };
		const row = this.find(session);
		if (row) return this.#ofOwned(row);
		if (session.host !== this.#ownedHost) return this.project();
		const alone: SessionFilter = { only: [session.session] };
		return { owner: session.session, searched: alone, recalled: alone, homes: [session], others: [] };
	}

	/** True: the session has an owner, known or not. */
	isOwned({ session, host }: SessionRef): boolean {
		return host === this.#ownedHost || this.find({ session, host }) !== undefined;
	}

	/** True: some session of the log has an owner. */
	hasOwned(): boolean {
		return this.#rows("LIMIT 1", () => true).length > 0;
	}

	/** The sessions without an owner. */
	project(): Scope {
		const others = this.#rows("", () => true).map(({ session, host }) => ({ session, host }));
		const filter: SessionFilter = others.length === 0 ? "all" : { except: others.map(({ session }) => session) };
		return { owner: undefined, searched: filter, recalled: filter, homes: undefined, others };
	}

	/** Undefined: the session has no owner. */
	find({ session, host }: SessionRef): OwnedSession | undefined {
		const isIt = (row: OwnedSession) => row.session === session && row.host === host;
		return this.#rows("WHERE session = ? AND host = ?", isIt, session, host)[0];
	}

	#ofOwned(row: OwnedSession): Scope {
		const all = this.#rows("WHERE owner = ? ORDER BY seq", ({ owner }) => owner === row.owner, row.owner);
		const chain = this.#servedBy(row, all);
		const lines = new Set(chain.map(({ line }) => line));
		const present = new Map<string, OwnedSession>();
		for (const each of all) if (each.works_for === null && !lines.has(each.line)) present.set(each.line, each);
		const recalled = [...chain, ...[...present.values()].reverse()];
		return {
			owner: row.owner,
			searched: { only: all.map(({ session }) => session) },
			recalled: { only: recalled.map(({ session }) => session) },
			homes: recalled.map(({ session, host }) => ({ session, host })),
			others: [],
		};
	}

	/** The session and those that it works for. */
	#servedBy(row: OwnedSession, all: readonly OwnedSession[]): OwnedSession[] {
		const chain = [row];
		for (let at = row; at.works_for !== null && chain.length < MAX_STEPS; ) {
			const next = all.find(({ session }) => session === at.works_for);
			if (!next || chain.includes(next)) break;
			chain.push(next);
			at = next;
		}
		return chain;
	}

	/** `where` and `isAsked` say the same: a log that cannot be written may lack the table, and its events have the same facts. */
	#rows(where: string, isAsked: (row: OwnedSession) => boolean, ...values: string[]): OwnedSession[] {
		const { tables, readOnly } = this.#log;
		if (!readOnly || tables.one("fold", "SELECT 1 FROM fold WHERE name = 'owner'")) {
			return tables.all<OwnedSession>("session_owner", `SELECT ${COLUMNS} FROM session_owner ${where}`, ...values);
		}
		const known = new Map<string, OwnedSession>();
		for (const record of this.#log.read({ types: ["SessionStarted"] })) {
			const row = ownedSession(record);
			if (row && !known.has(sessionKey(row))) known.set(sessionKey(row), row);
		}
		return [...known.values()].filter(isAsked);
	}
}
