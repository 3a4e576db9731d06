/**
 * Which session of the log is this? The host's id names it. A reset keeps the id, but begins another conversation: from
 * then on it is a session of its own, with a number behind the id, so that nothing forgotten comes back.
 */
import type { Engine } from "../../engine.ts";
import type { NewEvent } from "../../event/types.ts";
import type { AgentMessage } from "./contract.ts";
import { type Extent, OpenClawSession, type Recorded } from "./session.ts";
import { forkedFrom } from "./subagents.ts";
import { OPENCLAW_HOST } from "./translate.ts";

const RESET = "openclaw.reset";

export interface SessionsOptions {
	readonly engine: Engine;
	readonly cwd: string;
	readonly now: () => number;
}

export interface HostSession {
	readonly sessionId: string;
	readonly sessionKey?: string;
}

export class Sessions {
	readonly #options: SessionsOptions;
	readonly #open = new Map<string, OpenClawSession>();

	constructor(options: SessionsOptions) {
		this.#options = options;
	}

	of(host: HostSession): OpenClawSession {
		const known = this.#open.get(host.sessionId);
		return known ?? this.#begin(host, currentName(this.#options.engine, host.sessionId));
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

	/** The conversation starts again under the same id. */
	reset(host: HostSession): OpenClawSession {
		const { engine, now } = this.#options;
		const number = resets(engine, host.sessionId) + 2;
		const event: NewEvent = {
			type: "Custom",
			session: host.sessionId,
			host: OPENCLAW_HOST,
			ts: now(),
			entry: `reset ${number}`,
			payload: { name: RESET, data: { session: nameOf(host.sessionId, number) } },
		};
		engine.record([event]);
		return this.#begin(host, nameOf(host.sessionId, number));
	}

	#begin(host: HostSession, session: string): OpenClawSession {
		const parent = forkedFrom(this.#options.engine, host);
		const { sessionId, sessionKey } = host;
		const opened = new OpenClawSession({
			...this.#options,
			ref: { session, host: OPENCLAW_HOST },
			host: { sessionId, sessionKey },
			parent,
		});
		this.#open.set(sessionId, opened);
		return opened;
	}
}

/** The session of the log in which a session of the host goes on now. */
export function currentName(engine: Engine, sessionId: string): string {
	return nameOf(sessionId, resets(engine, sessionId) + 1);
}

function resets({ log }: Engine, sessionId: string): number {
	let count = 0;
	for (const { payload } of log.read({ session: sessionId, host: OPENCLAW_HOST, types: ["Custom"] })) {
		if (payload["name"] === RESET) count++;
	}
	return count;
}

function nameOf(sessionId: string, number: number): string {
	return number === 1 ? sessionId : `${sessionId}~${number}`;
}
