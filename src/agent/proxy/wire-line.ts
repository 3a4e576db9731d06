/**
 * One session of the wire: messages in a line, each named by its content and the message before it. An answer is named by the
 * message that it answers, because an agent may send it back in another form.
 */
import { sha256 } from "../../base/hash/sha256.ts";
import type { CallNames, RequestMessage } from "../../message/dialect/dialect.ts";
import type { LineMessage } from "./alignment.ts";
import { type AnswerKeys, isSame, isTellingSame } from "./answer-keys.ts";

/** A message of a request, with the name of its first entry. */
export interface NamedMessage extends RequestMessage {
	readonly entry: string;
	/** Of its content; "" for an answer. */
	readonly hash: string;
	/** True: the log has the message, maybe with other words (alignment.ts). */
	readonly isKnown?: boolean | undefined;
}

/** A message of a request, with the keys by which any session knows it. */
export interface MessagePrint {
	readonly message: RequestMessage;
	readonly hash: string;
	/** Undefined: it is no answer. */
	readonly keys: AnswerKeys | undefined;
}

/** A request compared with a line. */
export interface LineMatch {
	readonly named: readonly NamedMessage[];
	/** The entry of its newest message. */
	readonly tip: string;
	/** How many of its first messages are those of the line. */
	readonly shared: number;
}

interface LineAnswer {
	readonly entry: string;
	readonly keys: AnswerKeys;
}

export const NAME_CHARS = 20;

export class WireLine {
	/** Every message, with the one before it. */
	readonly #parents = new Map<string, string | undefined>();
	/** By the message that they answer. */
	readonly #answers = new Map<string, LineAnswer[]>();
	readonly #keys = new Map<string, AnswerKeys>();
	/** Of the messages that are no answers. */
	readonly #words = new Map<string, string>();
	/** Requests without an answer, by their newest message. */
	readonly #open = new Map<string, number>();
	readonly calls: CallNames = new Map();
	/** The newest message. "": there is none. */
	tip = "";
	/** The message before the newest request, until that is answered. */
	unanswered: string | undefined;

	has(entry: string): boolean {
		return this.#parents.has(entry);
	}

	add(entry: string, parent: string | undefined): void {
		if (!this.#parents.has(entry)) this.#parents.set(entry, parent);
	}

	addAnswer(entry: string, keys: AnswerKeys): void {
		const to = entry.replace(/\/answer(?:-\d+)?$/, "");
		this.#answers.set(to, [...(this.#answers.get(to) ?? []), { entry, keys }]);
		this.#keys.set(entry, keys);
	}

	addWords(entry: string, words: string): void {
		this.#words.set(entry, words);
	}

	/** A request with this newest message waits for its answer. */
	openRequest(tip: string, follows: string | undefined): void {
		this.tip = tip;
		this.unanswered = follows;
		this.#open.set(tip, (this.#open.get(tip) ?? 0) + 1);
	}

	closeRequest(tip: string): void {
		const left = (this.#open.get(tip) ?? 1) - 1;
		if (left > 0) this.#open.set(tip, left);
		else this.#open.delete(tip);
	}

	/** A free name for an answer to this message. */
	nameAnswer(to: string): string {
		const others = this.#answers.get(to) ?? [];
		const nth = (n: number) => (n === 1 ? `${to}/answer` : `${to}/answer-${n}`);
		let n = 1;
		while (others.some(({ entry }) => entry === nth(n))) n++;
		return nth(n);
	}

	/** Names the messages of a request after the message `start`. */
	match(prints: readonly MessagePrint[], start: string): LineMatch {
		let tip = start;
		let shared = 0;
		const named = prints.map(({ message, hash, keys }, at) => {
			const entry = keys
				? (this.#findAnswer(tip, keys) ?? this.nameAnswer(tip))
				: sha256(`${tip}\n${hash}`).slice(0, NAME_CHARS);
			if (shared === at && this.has(entry)) shared++;
			tip = entry;
			return { ...message, entry, hash };
		});
		return { named, tip, shared };
	}

	#findAnswer(to: string, keys: AnswerKeys): string | undefined {
		const answers = this.#answers.get(to) ?? [];
		const same =
			answers.find((each) => each.keys.said === keys.said) ?? answers.find((each) => isSame(each.keys, keys));
		return same?.entry;
	}

	/** True: the request carries the newest message. The same words while a first request waits are another conversation. */
	isContinuedBy({ named, tip }: LineMatch): boolean {
		if (!named.some(({ entry }) => entry === this.tip)) return false;
		return tip !== this.tip || (this.#open.get(tip) ?? 0) === 0;
	}

	/** True: the newest answer comes back, though the agent changed a message before it. */
	isAnsweredIn({ shared }: LineMatch, prints: readonly MessagePrint[]): boolean {
		const keys = prints.findLast((print) => print.keys)?.keys;
		const newest = this.#keys.get(this.tip);
		return shared > 0 && keys !== undefined && newest !== undefined && isTellingSame(keys, newest);
	}

	/**
	 * How many messages at the end of a request are transient: a reminder, or the time, that the agent does not send again,
	 * though it sends the answer to it. The request before has lost as many.
	 */
	countPassing({ named }: LineMatch): number {
		const path = this.path();
		const sent = this.#keys.has(this.tip) ? path.slice(0, -1) : path;
		const entries = new Set(named.map(({ entry }) => entry));
		const kept = sent.findLastIndex(({ entry }) => entries.has(entry));
		const count = sent.length - 1 - kept;
		if (kept < 0 || count === 0 || named[kept]?.entry !== sent[kept]?.entry) return 0;
		const isSaid = ({ speaker }: NamedMessage) => speaker === "user" || speaker === "system";
		return named.length > kept + 1 + count && named.slice(-count).every(isSaid) ? count : 0;
	}

	/** Its messages, oldest first. */
	path(): LineMessage[] {
		const path: LineMessage[] = [];
		let entry: string | undefined = this.tip;
		while (entry && path.length < this.#parents.size) {
			path.push({ entry, keys: this.#keys.get(entry), words: this.#words.get(entry) });
			entry = this.#parents.get(entry);
		}
		return path.reverse();
	}
}
