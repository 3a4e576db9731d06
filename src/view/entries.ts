import type { Log } from "../log/log.ts";
import { splitLast } from "../log/payload.ts";

/** The entries of a session as its host wrote them, byte for byte, in the order they came, the header first. */
export function* sessionEntries(log: Log, session: string): Generator<string> {
	for (const { text } of log.readStored({ session, types: ["SessionStarted", "Message", "Entry"] })) {
		const raw = splitLast(text, "raw");
		if (raw !== undefined) yield raw;
	}
}
