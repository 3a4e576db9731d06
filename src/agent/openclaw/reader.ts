/**
 * Imports OpenClaw's transcripts. They have Pi's form, so Pi's translator reads them under OpenClaw's name. Messages get the
 * names that `message-names.ts` gives them live, so the plugin and an import never record the same message twice.
 */

import { asName, asObject, asTime, type JsonObject } from "../../base/json/read.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { PiSessionTranslator } from "../recorded/pi-session-translator.ts";
import type { KnownEvents, SessionReader, Translate } from "../recorded/session-reader.ts";
import type { AgentMessage } from "./contract.ts";
import { sessionName } from "./host-state.ts";
import { nameMessages, stampOf } from "./message-names.ts";
import { childNames, isTranscriptStore, openclawPlaces, storedSessions } from "./transcript-store.ts";
import { OPENCLAW_HOST } from "./translate.ts";

export const openclawReader: SessionReader = {
	kind: OPENCLAW_HOST,
	name: "OpenClaw",
	looksFor: "a database with the table transcript_events",
	ofTables: isTranscriptStore,
	*sessionsIn(db) {
		const childOf = childNames(db);
		for (const { id, name, owner, header, records, stamp } of storedSessions(db)) {
			yield {
				session: name,
				cwd: asName(header["cwd"]),
				records,
				stamp,
				open: (log) => {
					const names = new RowNames();
					const known = (_: string, row: JsonObject) => names.name(row);
					const translator = new PiSessionTranslator(header, { host: OPENCLAW_HOST, known });
					const translate = (value: JsonObject, text: string, number: number) =>
						translator
							.translate(value, text, `row:${number}`)
							// A sub-agent's task is not a request of the user.
							.filter(({ type }) => type !== "UserIntent" || !name.includes("/"))
							.map((event) => withOwner(withChild(event, childOf), owner));
					const live = findLiveRecord(log, id);
					return live ? onlyAfter(live, translate) : translate;
				},
			};
		}
	},
	places: openclawPlaces,
};

function withOwner(event: NewEvent, owner: string): NewEvent {
	return event.type === "SessionStarted" ? { ...event, payload: { ...event.payload, owner } } : event;
}

/** The result of a spawn has the child's key, not its session. */
function withChild(event: NewEvent, childOf: (key: string) => string | undefined): NewEvent {
	if (event.type !== "Subagent") return event;
	const payload = event.payload as { readonly child: string };
	return { ...event, payload: { ...payload, child: childOf(payload.child) ?? payload.child } } as NewEvent;
}

/** The newest message of a session that the plugin recorded. */
interface LiveRecord {
	/** The log's session that has it. */
	readonly session: string;
	/** Its time, ms since the epoch. */
	readonly newest: number;
}

const MAX_RESETS = 1_000;

/** Undefined: the plugin recorded nothing of the session. */
function findLiveRecord(log: KnownEvents, sessionId: string): LiveRecord | undefined {
	let found: LiveRecord | undefined;
	for (let nth = 1; nth < MAX_RESETS; nth++) {
		const session = sessionName(sessionId, nth);
		const [start] = log.read({ session, host: OPENCLAW_HOST, types: ["SessionStarted"], limit: 1 });
		if (!start) break;
		if (start.payload["format"] !== "openclaw") continue;
		const messages = log.read({ session, host: OPENCLAW_HOST, types: ["Message"], order: "newest" });
		for (const { ts, payload } of messages) {
			// An import records the whole row, the plugin the bare message.
			if (asObject(asObject(payload["raw"])?.["message"])) continue;
			if (!found || ts >= found.newest) found = { session, newest: ts };
			break;
		}
	}
	return found;
}

/**
 * The plugin reads the transcript too, so the log has every row up to the plugin's newest message. Later rows, written
 * without the plugin, follow that message in the same session.
 */
function onlyAfter({ session, newest }: LiveRecord, translate: Translate): Translate {
	let isAfter = false;
	return (row, text, number) => {
		const events = translate(row, text, number);
		isAfter ||= row["type"] === "message" && (timeOfRow(row) ?? 0) > newest;
		return isAfter ? events.map((event) => ({ ...event, session })) : [];
	};
}

function timeOfRow(row: JsonObject): number | undefined {
	return asTime(asObject(row["message"])?.["timestamp"]) ?? asTime(row["timestamp"]);
}

/** Names the messages of one transcript, in its order, as the plugin does. */
class RowNames {
	readonly #counts = new Map<string, number>();

	/** Undefined: no message, or one without a time; it keeps the host's id. */
	name(row: JsonObject): string | undefined {
		const message = asObject(row["message"]) as AgentMessage | undefined;
		if (row["type"] !== "message" || !message || stampOf(message) === undefined) return undefined;
		const [name = ""] = nameMessages([message]);
		const nth = (this.#counts.get(name) ?? 0) + 1;
		this.#counts.set(name, nth);
		return nth === 1 ? name : `${name}.${nth}`;
	}
}
