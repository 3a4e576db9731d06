/** Writes down one conversation of the wire: what its requests say that is new, and what the model answers. */
import type { NewEvent } from "../../event/types.ts";
import type { JsonObject } from "../../json/read.ts";
import { writeJson } from "../../json/write.ts";
import { recordName, SessionWriter } from "../session-writer.ts";
import { type NamedSpoken, type Place, partName } from "./lines.ts";
import type { PassedRequest } from "./manifest.ts";
import type { CallNames, MadeAnswer, Talk } from "./talk/talk.ts";

/** The host of its events. */
export const WIRE = "wire";

export class Conversation {
	readonly session: string;
	readonly #writer: SessionWriter;
	readonly #calls: CallNames;
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

	/** What a request says that is new. */
	take({ named, follows, parent }: Place, talk: Talk, at: { readonly ts: number; readonly cwd: string }): NewEvent[] {
		const events = this.#writer.start({ ...at, format: WIRE, parentSession: parent?.session });
		this.#writer.goBackTo(follows);
		for (const [n, spoken] of named.entries())
			events.push(...this.#say(spoken, talk, at.ts, n < (parent?.shared ?? 0)));
		return events;
	}

	#say(spoken: NamedSpoken, talk: Talk, ts: number, isCopy: boolean): NewEvent[] {
		const made = talk.made(spoken, this.#calls);
		const entries = made.map((_, n) => partName(spoken.entry, n));
		const newest = entries.at(-1);
		if (newest === undefined) return [];
		if (this.#writer.has(newest)) {
			this.#writer.goBackTo(newest);
			return [];
		}
		const raw = writeJson(spoken.items.length === 1 ? spoken.items[0] : spoken.items);
		const record = this.#writer.record("message", raw, ts);
		const from = recordName(raw);
		const said = made.flatMap((message, n) => this.#writer.say({ entry: entries[n]!, message, ts, from, isCopy }));
		return [record, ...said];
	}

	/** What the model said, under this name, after the entry `to`. */
	takeAnswer(entry: string, to: string | undefined, answer: MadeAnswer, api: string, ts: number): NewEvent[] {
		const { content, id, model, usage } = answer;
		const raw = writeJson({ role: "assistant", ...answer } as unknown as JsonObject);
		const message = { role: "assistant", content, api, model, usage: usage ?? null } as const;
		this.#writer.goBackTo(to);
		const record = this.#writer.record("answer", raw, ts);
		return [record, ...this.#writer.say({ entry, message, ts, from: recordName(raw), answer: id })];
	}
}
