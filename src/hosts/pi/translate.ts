/**
 * Pi's session entries as events, for a live session and for a recorded one: the same entries give the same events. One
 * translator per session, fed in the order of the file; what it keeps of earlier entries is bounded.
 */
import type { NewEvent } from "../../event/types.ts";
import { asName, asNumber, asObject, asText, type JsonObject } from "../../json/read.ts";
import { type MessageView, viewMessage } from "../../message/view.ts";
import { Calls } from "../../session/calls.ts";
import { deriveEvents } from "../../session/derive.ts";
import type { ToolClasses } from "../../session/tool-class.ts";
import { EntryNames } from "../entry-names.ts";
import { withTestStatus } from "../test-status.ts";
import { ownWordsInPi } from "./own-words.ts";

export const PI_HOST = "pi";

export interface PiTranslatorOptions {
	/** Classes of tools beyond the built-in ones. */
	readonly classes?: ToolClasses;
	/** SHA-256 of a result's text before it was bounded, by call id: only a live session knows it. */
	readonly blobOf?: (callId: string) => string | undefined;
	/**
	 * The entry under which the log already holds this one, if it does: a session that Pi has migrated has other ids than
	 * the copy that was imported before.
	 */
	readonly known?: (id: string, entry: JsonObject) => string | undefined;
}

export class PiTranslator {
	readonly session: string;
	readonly cwd: string | undefined;
	/** Of the file: 1 has no ids, 2 and 3 are trees. */
	readonly version: number;
	readonly #options: PiTranslatorOptions;
	readonly #started: number;
	readonly #calls = new Calls();
	readonly #names = new EntryNames();
	/** Host id to log entry, where they differ. */
	readonly #aliases = new Map<string, string>();
	#last: string | undefined;

	constructor(header: unknown, options: PiTranslatorOptions = {}) {
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
		if (entry["type"] === "session") return [this.#sessionStarted(entry, rawText)];
		const ownId = asName(entry["id"]);
		const named = this.#names.name(ownId ?? fallbackEntryId, rawText);
		if (named === undefined) return [];
		const id = this.#options.known?.(named, entry) ?? named;
		if (id !== named && ownId !== undefined) this.#aliases.set(ownId, id);
		const parent = ownId === undefined ? this.#last : this.#alias(asName(entry["parentId"]));
		this.#last = id;
		return this.#events(entry, rawText, id, parent === undefined ? {} : { parent });
	}

	#events(entry: JsonObject, raw: string, id: string, parent: { readonly parent?: string }): NewEvent[] {
		const base = { session: this.session, host: PI_HOST, ts: timeOf(entry) ?? this.#started };
		const role = roleOf(entry);
		if (role === undefined) {
			const kind = asName(entry["type"]) ?? "unknown";
			return [{ ...base, type: "Entry", entry: id, payload: { kind, ...parent }, raw }];
		}
		const view = viewMessage({ form: "pi", raw: entry });
		const tool = role === "toolResult" && view.tool !== undefined ? { tool: view.tool } : {};
		const derived = deriveEvents(view, {
			entry: id,
			cwd: this.cwd,
			calls: this.#calls,
			ownWords: ownWordsInPi,
			...(this.#options.classes ? { classes: this.#options.classes } : {}),
			...(this.#options.blobOf ? { blobOf: this.#options.blobOf } : {}),
		});
		return [
			{
				...base,
				type: "Message",
				entry: id,
				payload: { role, form: "pi", ...parent, ...tool, ...this.#blob(view) },
				raw,
			},
			...withTestStatus(view, derived, this.cwd).map((event) => ({ ...base, ...event })),
		];
	}

	/** The message itself needs the whole output, too: it stays when the events beside it are pruned. */
	#blob(view: MessageView): { readonly blob?: string } {
		const result = view.blocks.find((block) => block.kind === "result");
		const blob = result?.kind === "result" ? this.#options.blobOf?.(result.callId) : undefined;
		return blob === undefined ? {} : { blob };
	}

	#sessionStarted(header: JsonObject, raw: string): NewEvent {
		const parentSession = asName(header["parentSession"]);
		return {
			session: this.session,
			host: PI_HOST,
			ts: this.#started,
			type: "SessionStarted",
			entry: "session",
			payload: {
				cwd: this.cwd ?? "",
				format: String(this.version),
				...(parentSession === undefined ? {} : { parentSession }),
			},
			raw,
		};
	}

	#alias(id: string | undefined): string | undefined {
		return id === undefined ? undefined : (this.#aliases.get(id) ?? id);
	}
}

/** The role of an entry that is a message; undefined for every other kind of entry. */
function roleOf(entry: JsonObject): string | undefined {
	if (entry["type"] === "custom_message") return "custom";
	if (entry["type"] !== "message") return undefined;
	const role = asName(asObject(entry["message"])?.["role"]);
	return role === "hookMessage" ? "custom" : role;
}

function timeOf(entry: JsonObject): number | undefined {
	const stamp = entry["timestamp"];
	const time = typeof stamp === "number" ? stamp : Date.parse(asText(stamp) ?? "");
	if (isTime(time)) return time;
	const told = asObject(entry["message"])?.["timestamp"];
	return typeof told === "number" && isTime(told) ? told : undefined;
}

/** What a Date can hold; the log refuses anything else. */
function isTime(ms: number): boolean {
	return Math.abs(ms) <= 8.64e15;
}
