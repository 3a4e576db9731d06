/** Feeds the records of one session to its translator and on to the log. Every record that is not blank gets in. */

import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { asObject, type JsonObject } from "../../base/json/read.ts";
import { cutStart } from "../../base/text/cut.ts";
import { entryName, type NewEvent } from "../../log/event/types.ts";
import type { ImportTarget, Intake } from "./intake.ts";
import type { FileLine } from "./line-reader.ts";
import type { FoundSession, Translate } from "./session-reader.ts";

export type Feed = (value: JsonObject | undefined, line: FileLine) => void;

/** `intake` and `malformed` are functions, because a resumed import has new ones. */
export async function openFeed(
	host: string,
	found: FoundSession,
	log: ImportTarget,
	intake: () => Intake,
	malformed: () => MalformedLines,
): Promise<Feed> {
	const translate = found.open(log, () => intake().flush());
	for await (const events of found.before?.() ?? []) intake().add(events);
	/** The session and time of the last line. */
	let last = { session: found.session, host, ts: 0 };
	const seen = new SeenEvents();
	/** A record that the translator cannot take costs that record. */
	const translated: Translate = (value, text, number) => {
		try {
			return translate(value, text, number);
		} catch (error) {
			if (error instanceof EngineError) throw error;
			const why = error instanceof RangeError ? "nested too deeply" : errorText(error);
			malformed().add(number, `kept, but not understood: ${why}`);
			return [];
		}
	};
	return (value, { number, text, ended, bytes }) => {
		const bare = text?.trim() ?? "";
		// A last line without an end may still be growing.
		if (bare === "" || (!value && !ended)) return;
		const events = value ? translated(value, bare, number) : [];
		const exact = bytes && { base64: bytes.toString("base64") };
		const keepLine = (payload: JsonObject) => {
			const entry = `line ${number} ${sha256(exact?.base64 ?? bare).slice(0, 12)}`;
			intake().add([{ type: "ForeignLine", ...last, entry, payload: { line: number, ...payload, ...exact } }]);
		};
		const kept = events.find(holdsLine);
		if (!kept || !seen.add(kept)) {
			keepLine({ text: bare, why: value ? "repeated" : "unreadable" });
			// Events derived from a repeated line may still be new.
			if (kept) intake().add(events.filter((event) => event !== kept));
			return;
		}
		last = { session: kept.session, host: kept.host, ts: kept.ts };
		// Comes before its entry, so that an export omits the entry.
		if (exact) keepLine({ text: "", why: "not-utf8", of: entryName(kept) });
		// The log need not parse the line again.
		intake().add(
			kept.raw === bare ? events.map((event) => (event === kept ? { ...kept, parsed: value } : event)) : events,
		);
	};
}

/** The event that is the line itself, among those that open its session or are derived from it. */
function holdsLine({ raw, payload }: NewEvent): boolean {
	return raw !== undefined && asObject(payload)?.["from"] === undefined;
}

/** Holds the translator's own strings, not joined keys: a long file has a million of them. */
class SeenEvents {
	readonly #entries = new Map<string, Set<string>>();

	/** False: an event of this name was there before. */
	add({ session, type, entry }: NewEvent): boolean {
		const key = `${session} ${type}`;
		const entries = this.#entries.get(key) ?? new Set();
		this.#entries.set(key, entries);
		const size = entries.size;
		return entries.add(entry ?? "").size > size;
	}
}

export interface MalformedLine {
	readonly file: string;
	readonly line: number;
	readonly message: string;
}

const MAX_MALFORMED = 100;
const MAX_MESSAGE_CHARS = 300;

export class MalformedLines {
	readonly first: MalformedLine[] = [];
	count = 0;
	/** Of `count`: those of which nothing is in the log. The text of the others is kept as it is. */
	lost = 0;
	readonly #file: string;

	constructor(file: string) {
		this.#file = file;
	}

	add(line: number, message: string): void {
		this.count++;
		if (this.first.length < MAX_MALFORMED)
			this.first.push({ file: this.#file, line, message: cutStart(message, MAX_MESSAGE_CHARS) });
	}

	lose(line: number, message: string): void {
		this.lost++;
		this.add(line, message);
	}
}

/** Undefined: the line is blank, or is among the malformed ones now. */
export function parseLine(line: FileLine, malformed: MalformedLines, maxLineBytes: number): JsonObject | undefined {
	if (line.text === undefined) {
		malformed.lose(line.number, `longer than ${Math.round(maxLineBytes / 1024 / 1024)} MB, or zeros`);
		return undefined;
	}
	if (line.text.trim() === "") return undefined;
	try {
		const value = asObject(JSON.parse(line.text));
		if (!value) malformed.add(line.number, "not a JSON object");
		else if (line.bytes)
			malformed.add(line.number, "imported; bytes that are not UTF-8 are stored separately and shown as U+FFFD");
		return value;
	} catch (error) {
		const why = error instanceof RangeError ? "nested too deeply" : (error as Error).message;
		malformed.add(
			line.number,
			line.ended ? `not valid JSON: ${why}` : `cut off: the last line is not complete (${why})`,
		);
		return undefined;
	}
}
