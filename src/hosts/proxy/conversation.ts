/**
 * A conversation as its requests show it. Each message of the user and each result is named by its content and by what stands before
 * it, so a request finds the session that it goes on with, also in a new process. What the model said is named by what it
 * answers: an agent may write it in another way when it sends it back.
 */
import type { NewEvent } from "../../event/types.ts";
import { sha256 } from "../../hash/sha256.ts";
import type { JsonObject } from "../../json/read.ts";
import { writeJson } from "../../json/write.ts";
import { recordName, SessionWriter } from "../session-writer.ts";
import type { PassedRequest } from "./manifest.ts";
import { withoutMarks } from "./messages-wire.ts";
import type { CallNames, MadeAnswer, Spoken, Talk } from "./talk/talk.ts";

/** The host of its events. */
export const WIRE = "wire";

/** A message of a request, with the name of its first entry. */
export interface NamedSpoken extends Spoken {
	readonly entry: string;
}

const NAME_CHARS = 20;

/** Without what opens a request for every session alike: its system messages. */
export function nameSpoken(spoken: readonly Spoken[]): NamedSpoken[] {
	let before = "";
	const begins = spoken.findIndex(({ speaker }) => speaker !== "system");
	return spoken.slice(Math.max(0, begins)).map((each) => {
		if (each.speaker === "assistant") return { ...each, entry: answerName(before) };
		before = sha256(`${before}\n${writeJson(withoutMarks(each.items))}`).slice(0, NAME_CHARS);
		return { ...each, entry: before };
	});
}

function answerName(before: string): string {
	return `${before}/answer`;
}

export class Conversation {
	readonly session: string;
	readonly #writer: SessionWriter;
	readonly #calls: CallNames = new Map();
	/** What was sent last, by sizes and hashes. */
	passed: PassedRequest | undefined;
	requests = 0;

	constructor(session: string) {
		this.session = session;
		this.#writer = new SessionWriter(WIRE, session);
	}

	get ref() {
		return { session: this.session, host: WIRE };
	}

	hasAnswered(entry: string): boolean {
		return this.#writer.has(answerName(entry));
	}

	/** What a request says that is new. */
	take(named: readonly NamedSpoken[], talk: Talk, at: { readonly ts: number; readonly cwd: string }): NewEvent[] {
		const events = this.#writer.start({ ...at, format: WIRE });
		this.#writer.goBackTo(undefined);
		for (const spoken of named) events.push(...this.#say(spoken, talk, at.ts));
		return events;
	}

	#say(spoken: NamedSpoken, talk: Talk, ts: number): NewEvent[] {
		const made = talk.made(spoken, this.#calls);
		const entries = made.map((_, n) => (n === 0 ? spoken.entry : `${spoken.entry}/${n}`));
		const newest = entries.at(-1);
		if (newest === undefined) return [];
		if (this.#writer.has(newest)) {
			this.#writer.goBackTo(newest);
			return [];
		}
		const raw = writeJson(spoken.items.length === 1 ? spoken.items[0] : spoken.items);
		const record = this.#writer.record("message", raw, ts);
		const from = recordName(raw);
		return [record, ...made.flatMap((message, n) => this.#writer.say({ entry: entries[n]!, message, ts, from }))];
	}

	/** What the model said to the newest of these messages. */
	takeAnswer(to: NamedSpoken, answer: MadeAnswer, api: string, ts: number): NewEvent[] {
		const { content, id, model, usage } = answer;
		const raw = writeJson({ role: "assistant", ...answer } as unknown as JsonObject);
		const message = { role: "assistant", content, api, model, usage } as const;
		const said = this.#writer.say({ entry: answerName(to.entry), message, ts, from: recordName(raw), answer: id });
		return said.length === 0 ? [] : [this.#writer.record("answer", raw, ts), ...said];
	}
}
