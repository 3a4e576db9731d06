/**
 * What the plugin has recorded of a session while it ran. Its messages are in the log under the names that `identity.ts`
 * gives them; a transcript that is imported uses the same names, so that nothing stands there twice, whichever came first.
 */
import { asObject, asTime, type JsonObject } from "../../base/json/read.ts";
import type { KnownEvents } from "../recorded/session-reader.ts";
import type { AgentMessage } from "./contract.ts";
import { nameMessages, stampOf } from "./identity.ts";
import { OPENCLAW_HOST } from "./translate.ts";

export interface SeenLive {
	/** The session of the log in which the newest of its messages is. */
	readonly session: string;
	/** Of that message, ms since the epoch. */
	readonly newest: number;
}

const MAX_RESETS = 1_000;

/** Undefined: the plugin never saw it. */
export function seenLive(log: KnownEvents, sessionId: string): SeenLive | undefined {
	let seen: SeenLive | undefined;
	for (let nth = 1; nth < MAX_RESETS; nth++) {
		// A reset begins a session of its own, with a number after the id.
		const session = nth === 1 ? sessionId : `${sessionId}~${nth}`;
		const [start] = log.read({ session, host: OPENCLAW_HOST, types: ["SessionStarted"], limit: 1 });
		if (!start) break;
		if (start.payload["format"] !== "openclaw") continue;
		const messages = log.read({ session, host: OPENCLAW_HOST, types: ["Message"], order: "newest" });
		for (const { ts, payload } of messages) {
			// One that an import has added is a whole row, not a bare message.
			if (asObject(asObject(payload["raw"])?.["message"])) continue;
			if (!seen || ts >= seen.newest) seen = { session, newest: ts };
			break;
		}
	}
	return seen;
}

export function timeOfRow(row: JsonObject): number | undefined {
	return asTime(asObject(row["message"])?.["timestamp"]) ?? asTime(row["timestamp"]);
}

/** Names messages of one transcript, in its order, as the plugin would. */
export class RowNames {
	readonly #times = new Map<string, number>();

	/** Undefined: it is not a message, or one that only its place tells from others; it goes by the host's id. */
	name(row: JsonObject): string | undefined {
		const message = asObject(row["message"]) as AgentMessage | undefined;
		if (row["type"] !== "message" || !message || stampOf(message) === undefined) return undefined;
		const [name = ""] = nameMessages([message]);
		const nth = (this.#times.get(name) ?? 0) + 1;
		this.#times.set(name, nth);
		return nth === 1 ? name : `${name}.${nth}`;
	}
}
