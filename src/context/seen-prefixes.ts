/**
 * What did the model see before each answer? Read from the manifests of the requests: the newest one before an answer made it. Reads back
 * only as far as the answers of the next request go, so it costs what is sent, not what the session holds.
 */
import { type EventRecord, isA, type Payload } from "../log/event/types.ts";
import type { SessionRef } from "../log/session-ref.ts";
import type { ReadQuery } from "../log/types.ts";
import { extendPrefix, type SeenPrefix, type ThinkingFacts } from "./bound-thinking.ts";
import type { Segment } from "./envelope/bytes.ts";
import type { PathMessage } from "./path.ts";

interface SentPrefix extends SeenPrefix {
	readonly seq: number;
}

/** `head`: of the newest request. */
export type SeenAnswers = Pick<ThinkingFacts, "seen" | "head">;

export class SeenPrefixes {
	readonly #log: { readonly read: (query: ReadQuery) => Iterable<EventRecord> };
	readonly #session: SessionRef;
	#sent: SentPrefix[] = [];
	/** Of the newest request: the hash of its first messages, by their number. Undefined: a manifest before it is missing. */
	#prefixes: string[] | undefined;
	/** The events that were read. */
	#from = Number.POSITIVE_INFINITY;
	#upTo = 0;

	constructor(log: { readonly read: (query: ReadQuery) => Iterable<EventRecord> }, session: SessionRef) {
		this.#log = log;
		this.#session = session;
	}

	/** For the messages of a path: the prefix that each answer was made from, as far as events up to `upTo` say. */
	of(messages: readonly PathMessage[], upTo: number): SeenAnswers {
		const answers = messages.filter(({ role }) => role === "assistant");
		const first = answers[0];
		if (!first) return { seen: () => undefined };
		this.#read(first.seq, upTo);
		const seen = new Map<string, SeenPrefix>();
		let before = 0;
		let at = -1;
		for (const { id, seq } of answers) {
			while ((this.#sent[at + 1]?.seq ?? seq) < seq) at++;
			const made = this.#sent[at];
			// A request makes one answer: the agent made the next one without us.
			if (made && made.seq > before) seen.set(id, made);
			before = seq;
		}
		return { seen: (id) => seen.get(id), head: this.#sent.findLast((sent) => sent.seq <= upTo)?.head };
	}

	#read(oldest: number, upTo: number): void {
		const { session, host } = this.#session;
		const query = { session, host, types: ["Request"], upTo } as const;
		if (oldest < this.#from) {
			const records: EventRecord[] = [];
			for (const record of this.#log.read({ ...query, order: "newest" })) {
				records.push(record);
				if (record.seq < oldest && isA(record, "Request") && record.payload.kept === 0) break;
			}
			this.#sent = [];
			this.#prefixes = undefined;
			for (const record of records.reverse()) this.#take(record);
			this.#from = oldest;
			this.#upTo = upTo;
		} else if (upTo > this.#upTo) {
			for (const record of this.#log.read({ ...query, after: this.#upTo })) this.#take(record);
			this.#upTo = upTo;
		}
	}

	#take(record: EventRecord): void {
		if (!isA(record, "Request")) return;
		const { kept, items, mode, segments } = record.payload;
		// The agent made it: its hashes are of the agent's own bytes.
		if (mode === "host") return;
		const isKnown = kept === 0 || (this.#prefixes !== undefined && this.#prefixes.length > kept);
		if (!isKnown) {
			this.#prefixes = undefined;
			return;
		}
		const prefixes = this.#prefixes?.slice(0, kept + 1) ?? [""];
		for (const { hash } of items) prefixes.push(extendPrefix(prefixes.at(-1) ?? "", hash));
		this.#prefixes = prefixes;
		// In `off` a text for one request alone is ours all the same.
		const isOurs = mode !== "off" || segments.some(({ name, bytes }) => name === "uncached" && bytes > 0);
		this.#sent.push({ seq: record.seq, head: headOf(segments), messages: prefixes.at(-1) ?? "", isOurs });
	}
}

/** The hash of a request's tools and system text. */
export function headOf(segments: Payload<"Request">["segments"] | readonly Segment[]): string {
	return segments.flatMap(({ name, sha256 }) => (name === "tools" || name === "system" ? [sha256] : [])).join(" ");
}
