/** OpenClaw keeps Pi's entries: they go through Pi's translator, under OpenClaw's name. */
import type { NewEvent } from "../event/types.ts";
import { asName } from "../json/read.ts";
import { childNames, isTranscriptStore, openclawPlaces, storedSessions } from "./openclaw/stored.ts";
import { OPENCLAW_HOST } from "./openclaw/translate.ts";
import { PiTranslator } from "./pi/translate.ts";
import type { Reader } from "./reader.ts";

export const openclawReader: Reader = {
	kind: OPENCLAW_HOST,
	name: "OpenClaw",
	looksFor: "a database with the table transcript_events",
	ofTables: isTranscriptStore,
	*sessionsIn(db) {
		const childOf = childNames(db);
		for (const { name, header, records, stamp } of storedSessions(db)) {
			const translator = new PiTranslator(header, { host: OPENCLAW_HOST });
			yield {
				session: name,
				cwd: asName(header["cwd"]),
				records,
				stamp,
				open: () => (value, text, number) =>
					translator
						.translate(value, text, `row:${number}`)
						// What a sub-agent is told to do is not a request of the user.
						.filter(({ type }) => type !== "UserIntent" || !name.includes("/"))
						.map((event) => withChild(event, childOf)),
			};
		}
	},
	places: openclawPlaces,
};

/** A spawn is answered with the key of the child, not with its session. */
function withChild(event: NewEvent, childOf: (key: string) => string | undefined): NewEvent {
	if (event.type !== "Subagent") return event;
	const payload = event.payload as { readonly child: string };
	return { ...event, payload: { ...payload, child: childOf(payload.child) ?? payload.child } } as NewEvent;
}
