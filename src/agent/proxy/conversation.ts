/** Writes down one conversation of the wire: what its requests say that is new, and what the model answers. */

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
	/** Of the messages that were said. */
	readonly #hashes = new Set<string>();
	/** Of the request that was taken last: the newest entry after each of its messages. */
	#tips: readonly (string | undefined)[] = [];
	/** What was sent last, by sizes and hashes. */
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

	/** The newest entry before its last messages, so many. */
	tipBefore(messages: number): string | undefined {
		return this.#tips.at(-1 - messages);
	}

	/** What a request says that is new. */
	take(
		{ named, follows, parent }: Placement,
		dialect: Dialect,
		at: { readonly ts: number; readonly cwd: string },
	): NewEvent[] {
		const events = this.#writer.start({ ...at, format: WIRE, parentSession: parent?.session });
		this.#writer.goBackTo(follows || undefined);
		this.#tips = named.map((spoken, n) => {
			events.push(...this.#say(spoken, dialect, at.ts, n < (parent?.shared ?? 0)));
			return this.#writer.tip;
		});
		return events;
	}

	#say(spoken: NamedMessage, dialect: Dialect, ts: number, isCopy: boolean): NewEvent[] {
		const made = dialect.toPi(spoken, this.#calls);
		const entries = made.map((_, n) => partName(spoken.entry, n));
		const newest = entries.at(-1);
		if (newest === undefined) return [];
		const isNew = spoken.hash !== "" && !this.#hashes.has(spoken.hash);
		this.#hashes.add(spoken.hash);
		const isThere = spoken.isKnown || this.#writer.has(newest);
		if (isThere) this.#writer.goBackTo(newest);
		if (isThere && !(spoken.isKnown && isNew)) return [];
		const raw = writeJson(spoken.items.length === 1 ? spoken.items[0] : spoken.items);
		const record = this.#writer.record("message", raw, ts);
		// Other words in a message that is known are kept as they came. The message stays what it was.
		if (isThere) return [record];
		const from = recordName(raw);
		const said = made.flatMap((message, n) => this.#writer.say({ entry: entries[n]!, message, ts, from, isCopy }));
		return [record, ...said];
	}

	/** What the model said, under this name, after the entry `to`. */
	takeAnswer(entry: string, to: string | undefined, answer: ModelAnswer, api: string, ts: number): NewEvent[] {
		const { content, id, model, usage } = answer;
		const raw = writeJson({ role: "assistant", ...answer, usage: usage && writePiUsage(usage) });
		const message = { role: "assistant", content, api, model, usage: usage ?? null } as const;
		this.#writer.goBackTo(to);
		const record = this.#writer.record("answer", raw, ts);
		return [record, ...this.#writer.say({ entry, message, ts, from: recordName(raw), answer: id })];
	}
}
