/**
 * Session entries in Pi's form as events; OpenClaw keeps its transcripts in it too. A live session and a recorded one give the same events
 * for the same entries. One translator per session, fed in the order of the file; its memory of earlier entries is bounded.
 */

import { asInteger, asName, asNumber, asObject, asTime, type JsonObject } from "../../base/json/read.ts";
import { readEntry, transformName } from "../../context/patch/session-entries.ts";
import { toPayload } from "../../context/patch/transform.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { userWords } from "../../message/user-words.ts";
import { viewMessage } from "../../message/view.ts";
import { Calls } from "../../state/session/calls.ts";
import { translateMessage } from "../../state/work/translate-message.ts";
import { EntryNames } from "./entry-names.ts";

export interface PiSessionOptions {
	/** The agent whose session it is. */
	readonly host: string;
	/** SHA-256 of a result's text before it was bounded, by call id: only a live session knows it. */
	readonly blobOf?: ((callId: string) => string | undefined) | undefined;
	/** Names of the tools that the model has: only a live session knows them. */
	readonly tools?: (() => readonly string[]) | undefined;
	/**
	 * The entry under which the log already holds this one, if it does: a session that Pi has migrated has other ids than
	 * the copy that was imported before.
	 */
	readonly known?: ((id: string, entry: JsonObject) => string | undefined) | undefined;
}

export class PiSessionTranslator {
	readonly session: string;
	readonly cwd: string | undefined;
	/** Of the file: 1 has no ids, 2 and 3 are trees. */
	readonly version: number;
	readonly #options: PiSessionOptions;
	readonly #started: number;
	readonly #calls = new Calls();
	readonly #names = new EntryNames();
	/** Host id to log entry, where they differ. */
	readonly #aliases = new Map<string, string>();
	/** Entry to the newest message before it, for entries that are none. */
	readonly #messageBefore = new Map<string, string | undefined>();
	/** Format 1 names entries by their place in the file: the entry at each place. */
	readonly #places: string[] = [];
	#last: string | undefined;

	constructor(header: unknown, options: PiSessionOptions) {
		const fields = asObject(header) ?? {};
		this.session = asName(fields["id"]) ?? "unknown";
		this.cwd = asName(fields["cwd"]);
		this.version = asNumber(fields["version"]) ?? 1;
		this.#started = timeOf(fields) ?? 0;
		this.#options = options;
	}

	/**
	 * `rawText` is the entry's JSON as the file has it, or as `JSON.stringify` writes it, which is how Pi writes the file.
	 * An entry without an id of its own goes by `fallbackEntryId` and follows the entry before it. An entry seen before
	 * gives no events.
	 */
	translate(value: unknown, rawText: string, fallbackEntryId: string): NewEvent[] {
		const entry = asObject(value);
		if (!entry) return [];
		if (this.version === 1) this.#places.push(fallbackEntryId);
		if (entry["type"] === "session") return [this.#sessionStarted(entry, rawText)];
		const ownId = asName(entry["id"]);
		const named = this.#names.name(ownId ?? fallbackEntryId, rawText);
		if (named === undefined) return [];
		const id = this.#options.known?.(named, entry) ?? named;
		if (id !== named && ownId !== undefined) this.#aliases.set(ownId, id);
		const parent = ownId === undefined ? this.#last : this.#alias(asName(entry["parentId"]));
		this.#last = id;
		if (this.version === 1) this.#places[this.#places.length - 1] = id;
		return this.#events(entry, rawText, id, parent);
	}

	#events(entry: JsonObject, raw: string, id: string, parent: string | undefined): NewEvent[] {
		const ts = timeOf(entry) ?? this.#started;
		if (!isMessage(entry)) {
			const kind = asName(entry["type"]) ?? "unknown";
			const base = { session: this.session, host: this.#options.host, ts };
			const payload = { kind, parent, kept: this.#keptByPlace(entry) };
			const before = parent === undefined ? undefined : this.#nearestMessage(parent);
			this.#messageBefore.set(id, before);
			return [{ ...base, type: "Entry", entry: id, payload, raw }, ...transformOf(entry, id, before, base)];
		}
		return translateMessage({
			...this.#options,
			session: { session: this.session, host: this.#options.host },
			ts,
			entry: id,
			parent,
			form: "pi",
			view: viewMessage({ form: "pi", raw: entry }),
			cwd: this.cwd,
			calls: this.#calls,
			ownWords: (text) => userWords(text, this.#options.host),
			raw,
		});
	}

	#sessionStarted(header: JsonObject, raw: string): NewEvent {
		return {
			session: this.session,
			host: this.#options.host,
			ts: this.#started,
			type: "SessionStarted",
			entry: "session",
			payload: {
				cwd: this.cwd ?? "",
				tools: this.#options.tools && [...this.#options.tools()],
				format: String(this.version),
				parentSession: asName(header["parentSession"]),
			},
			raw,
		};
	}

	/** An older compaction says how many entries of the file were before the first that it kept. */
	#keptByPlace(entry: JsonObject): string | undefined {
		const place = entry["firstKeptEntryId"] === undefined ? asInteger(entry["firstKeptEntryIndex"]) : undefined;
		return place === undefined || place === 0 ? undefined : this.#places[place];
	}

	#nearestMessage(id: string): string | undefined {
		return this.#messageBefore.has(id) ? this.#messageBefore.get(id) : id;
	}

	#alias(id: string | undefined): string | undefined {
		return id === undefined ? undefined : (this.#aliases.get(id) ?? id);
	}
}

/** A patch that the session itself holds. One that this log made is there already, under the same name. */
function transformOf(
	entry: JsonObject,
	id: string,
	before: string | undefined,
	base: Pick<NewEvent, "session" | "host" | "ts">,
): NewEvent[] {
	const transform = entry["type"] === "compaction" ? undefined : readEntry(entry);
	if (!transform) return [];
	const name = transformName(entry);
	const place = name === undefined ? before : /^transform ([^\s.]+)\./.exec(name)?.[1];
	const cause = place === undefined ? undefined : { message: place };
	return [{ ...base, type: "Transform", entry: name ?? `transform ${id}.0`, cause, payload: toPayload(transform) }];
}

function isMessage(entry: JsonObject): boolean {
	if (entry["type"] === "custom_message") return true;
	return entry["type"] === "message" && asName(asObject(entry["message"])?.["role"]) !== undefined;
}

function timeOf(entry: JsonObject): number | undefined {
	return asTime(entry["timestamp"]) ?? asTime(asObject(entry["message"])?.["timestamp"]);
}
