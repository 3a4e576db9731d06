/** OpenClaw keeps its transcripts in Pi's form, so the translator of that form reads them, under OpenClaw's name. */

import { asName, type JsonObject } from "../../base/json/read.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { PiSessionTranslator } from "../recorded/pi-session-translator.ts";
import type { SessionReader, Translate } from "../recorded/session-reader.ts";
import { RowNames, type SeenLive, seenLive, timeOfRow } from "./seen-live.ts";
import { childNames, isTranscriptStore, openclawPlaces, storedSessions } from "./stored.ts";
import { OPENCLAW_HOST } from "./translate.ts";

export const openclawReader: SessionReader = {
	kind: OPENCLAW_HOST,
	name: "OpenClaw",
	looksFor: "a database with the table transcript_events",
	ofTables: isTranscriptStore,
	*sessionsIn(db) {
		const childOf = childNames(db);
		for (const { id, name, header, records, stamp } of storedSessions(db)) {
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
							.map((event) => withChild(event, childOf));
					const live = seenLive(log, id);
					return live ? onlyAfter(live, translate) : translate;
				},
			};
		}
	},
	places: openclawPlaces,
};

/** The result of a spawn has the key of the child, not its session. */
function withChild(event: NewEvent, childOf: (key: string) => string | undefined): NewEvent {
	if (event.type !== "Subagent") return event;
	const payload = event.payload as { readonly child: string };
	return { ...event, payload: { ...payload, child: childOf(payload.child) ?? payload.child } } as NewEvent;
}

/**
 * The plugin reads the transcript too, so the log has every row up to the plugin's newest message. Later rows, written without the plugin,
 * follow that message in the same session.
 */
function onlyAfter({ session, newest }: SeenLive, translate: Translate): Translate {
	let isAfter = false;
	return (row, text, number) => {
		const events = translate(row, text, number);
		isAfter ||= row["type"] === "message" && (timeOfRow(row) ?? 0) > newest;
		return isAfter ? events.map((event) => ({ ...event, session })) : [];
	};
}
