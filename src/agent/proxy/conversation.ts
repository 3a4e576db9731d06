/** Writes down one conversation of the wire: the new messages of its requests, and the model's answers. */
import { writeJson } from "../../base/json/write.ts";
import type { NewEvent } from "../../log/event/types.ts";
import type { CallNames, Dialect, ModelAnswer } from "../../message/dialect/dialect.ts";
import { writePiUsage } from "../../message/dialect/pi/message.ts";
import { recordName, SessionWriter } from "../recorded/session-writer.ts";
import type { PassedRequest } from "./manifest.ts";
import type { NamedMessage } from "./wire-line.ts";
import { type Placement, partName } from "./wire-lines.ts";

/** The host of its events. */
export const WIRE = "wire";

export class Conversation {
	readonly session: string;
	readonly #writer: SessionWriter;
	readonly #calls: CallNames;
	/** Of the messages that are written. */
	readonly #hashes = new Set<string>();
	/** The newest entry after each message of the request that was taken last. */
	#tips: readonly (string | undefined)[] = [];
	/** The newest request that was sent, by sizes and hashes. */
	passed: PassedRequest | undefined;
	requests = 0;

	constructor(session: string, calls: CallNames) {
		this.session = session;
		this.#calls = calls;
		this.#writer = new SessionWriter(WIRE, session);
	}

	get ref() {
		return { session: this.session, host: WIRE };
	}

	/** The newest entry of the request that was taken last. */
	get tip(): string | undefined {
		return this.#writer.tip;
	}

	/** The newest entry before its last `messages`. */
	tipBefore(messages: number): string | undefined {
		return this.#tips.at(-1 - messages);
	}

	/** The events for the new messages of a request. */
	take(
		{ named, follows, parent }: Placement,
		dialect: Dialect,
		at: { readonly ts: number; readonly cwd: string },
	): NewEvent[] {
		const events = this.#writer.start({ ...at, format: WIRE, parentSession: parent?.session });
		this.#writer.goBackTo(follows || undefined);
		this.#tips = named.map((message, n) => {
			events.push(...this.#write(message, dialect, at.ts, n < (parent?.shared ?? 0)));
			return this.#writer.tip;
		});
		return events;
	}

	#write(message: NamedMessage, dialect: Dialect, ts: number, isCopy: boolean): NewEvent[] {
		const parts = dialect.toPi(message, this.#calls).map((part, n) => ({ part, entry: partName(message.entry, n) }));
		const newest = parts.at(-1);
		if (!newest) return [];
		const isNew = message.hash !== "" && !this.#hashes.has(message.hash);
		this.#hashes.add(message.hash);
		const isWritten = message.isKnown || this.#writer.has(newest.entry);
		if (isWritten) this.#writer.goBackTo(newest.entry);
		if (isWritten && !(message.isKnown && isNew)) return [];
		const raw = writeJson(message.items.length === 1 ? message.items[0] : message.items);
		const record = this.#writer.record("message", raw, ts);
		// New words of a known message are kept as a record. The message stays as it was.
		if (isWritten) return [record];
		const from = recordName(raw);
		const said = parts.flatMap(({ part, entry }) => this.#writer.say({ entry, message: part, ts, from, isCopy }));
		return [record, ...said];
	}

	/** The events for an answer of the model, under the name `entry`, to the message `to`. */
	takeAnswer(entry: string, to: string | undefined, answer: ModelAnswer, api: string, ts: number): NewEvent[] {
		const { content, id, model, usage } = answer;
		const raw = writeJson({ role: "assistant", ...answer, usage: usage && writePiUsage(usage) });
		const message = { role: "assistant", content, api, model, usage: usage ?? null } as const;
		this.#writer.goBackTo(to);
		const record = this.#writer.record("answer", raw, ts);
		return [record, ...this.#writer.say({ entry, message, ts, from: recordName(raw), answer: id })];
	}
}
