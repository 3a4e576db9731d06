/**
 * The order of a conversation: one item for each message that is read by itself and for each rule across the page, the results of
 * tools with their calls. Built from the session's tree without reading a message, so a session of any size opens at once.
 */

import { isOwnCompaction } from "../context/session-patches.ts";
import type { Engine } from "../engine.ts";
import { isA } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { queueChangeIn } from "../message/queued-words.ts";
import { userWords } from "../message/user-words.ts";
import { isMessage, type TreeEntry } from "../state/session/tree.ts";

/** Items that are loaded together. */
export const CHUNK_ITEMS = 40;

export interface IndexedMessage {
	readonly kind: "message";
	readonly entry: TreeEntry;
	/** What the user asked for; not the record of a command or of a stop. */
	isPrompt: boolean;
	/** The user went back to before it: it is on a branch that the session left. */
	isAbandoned: boolean;
	/** seqs of the messages that answer its calls. */
	readonly results: number[];
	/** What the user typed while the agent worked: the entry is no message, and these are its words. */
	readonly typed?: string;
}

/** A compaction by the agent, or a seal by weft. */
export interface IndexedRule {
	readonly kind: "compaction" | "seal";
	readonly seq: number;
}

export type IndexedItem = IndexedMessage | IndexedRule;

/** The agent's entries that may have words of the user. */
const QUEUE_KINDS: ReadonlySet<string> = new Set(["queue-operation", "attachment"]);

export class ConversationIndex {
	readonly #engine: Engine;
	readonly #session: SessionRef;
	readonly #items: IndexedItem[] = [];
	readonly #places = new Map<number, number>();
	/** The item of each call. */
	readonly #calls = new Map<string, IndexedMessage>();
	readonly #intents = new Map<number, string>();
	readonly #parents = new Map<number, number | null>();
	/** Words that wait until the agent takes them. */
	readonly #waiting: string[] = [];
	#lastTyped = "";
	#after = 0;

	constructor(engine: Engine, session: SessionRef) {
		this.#engine = engine;
		this.#session = session;
	}

	/** All items, oldest first. They belong to this object. */
	items(): readonly IndexedItem[] {
		const { log, history } = this.#engine;
		const upTo = log.newestSeq();
		if (upTo === this.#after) return this.#items;
		history.catchUp();
		const seals = [...log.read({ ...this.#session, types: ["Seal"], after: this.#after, upTo })].map(({ seq }) => seq);
		for (const entry of history.tree.entries(this.#session, this.#after)) {
			for (let next = seals[0]; next !== undefined && next < entry.seq; next = seals[0]) {
				this.#push({ kind: "seal", seq: next });
				seals.shift();
			}
			this.#add(entry);
		}
		for (const seq of seals) this.#push({ kind: "seal", seq });
		for (const record of log.read({ ...this.#session, types: ["UserIntent"], after: this.#after, upTo }))
			if (isA(record, "UserIntent") && record.cause !== null) this.#intents.set(record.cause, record.payload.text);
		this.#markPrompts();
		this.#markAbandoned();
		this.#after = upTo;
		return this.#items;
	}

	/** The place of the item that shows a message, a result or a rule. */
	placeOf(seq: number): number | undefined {
		this.items();
		return this.#places.get(seq);
	}

	/** The session has the call with this id. */
	isCalled(callId: string): boolean {
		return this.#calls.has(callId);
	}

	/** What the user asked for with a prompt, in one line; empty: the log has no such line. */
	intentOf(seq: number): string {
		return this.#intents.get(seq) ?? "";
	}

	handleOf({ entry, role }: TreeEntry): string {
		return handleOf({ ...this.#session, type: role === null ? "Entry" : "Message", entry });
	}

	#add(entry: TreeEntry): void {
		this.#parents.set(entry.seq, entry.parent);
		if (entry.kind === "compaction" || entry.role === "compactionSummary") {
			const record = this.#engine.log.get(entry.seq);
			// The seal has its own rule.
			if (record && !isOwnCompaction(record)) this.#push({ kind: "compaction", seq: entry.seq });
		} else if (QUEUE_KINDS.has(entry.kind ?? "")) {
			const typed = this.#taken(entry);
			if (typed !== "") this.#push({ kind: "message", entry, isPrompt: true, isAbandoned: false, results: [], typed });
		} else if (isMessage(entry) && !this.#attach(entry)) {
			const item: IndexedMessage = {
				kind: "message",
				entry,
				isPrompt: entry.asks && entry.role === "user",
				isAbandoned: false,
				results: [],
			};
			for (const call of entry.calls) this.#calls.set(call, item);
			this.#push(item);
		}
	}

	/** The words that the agent takes from its queue with this entry; empty: none. */
	#taken(entry: TreeEntry): string {
		const change = queueChangeIn(this.#engine.log.get(entry.seq)?.payload["raw"]);
		if (change?.kind === "typed") this.#waiting.push(change.words);
		if (change?.kind === "left") this.#waiting.splice(0, change.all ? this.#waiting.length : 1);
		if (change?.kind !== "given") return "";
		const words = userWords(change.words ?? this.#waiting.shift() ?? "", this.#session.host).trim();
		// An attachment follows the removal of the same words.
		if (words === this.#lastTyped) return "";
		this.#lastTyped = words;
		return words;
	}

	/** Shows results with the message that called. False: the message has words of its own, or no message called. */
	#attach(entry: TreeEntry): boolean {
		const callers = entry.results.flatMap((id) => this.#calls.get(id) ?? []);
		const [caller] = callers;
		for (const item of new Set(callers)) item.results.push(entry.seq);
		if (!caller || entry.asks || callers.length < entry.results.length) return false;
		this.#places.set(entry.seq, this.#places.get(caller.entry.seq) ?? 0);
		return true;
	}

	#push(item: IndexedItem): void {
		this.#places.set(item.kind === "message" ? item.entry.seq : item.seq, this.#items.length);
		this.#items.push(item);
	}

	/** Words without an intent ask for nothing. A log without intents has them in its archive. */
	#markPrompts(): void {
		if (this.#intents.size === 0) return;
		for (const item of this.#items)
			if (item.kind === "message" && item.isPrompt && item.typed === undefined)
				item.isPrompt = this.#intents.has(item.entry.seq);
	}

	/** Results of parallel calls are on no path to the tip either: only a prompt beside the path, and what follows it, is abandoned. */
	#markAbandoned(): void {
		const onPath = new Set<number>();
		for (let at = this.#engine.history.tree.tip(this.#session) ?? null; at !== null && !onPath.has(at); ) {
			onPath.add(at);
			at = this.#parents.get(at) ?? null;
		}
		const abandoned = new Set<number>();
		for (const item of this.#items) {
			if (item.kind !== "message") continue;
			const { seq, parent } = item.entry;
			const isFork = item.isPrompt && parent !== null && onPath.has(parent);
			item.isAbandoned = !onPath.has(seq) && (isFork || (parent !== null && abandoned.has(parent)));
			if (!item.isAbandoned) continue;
			abandoned.add(seq);
			for (const result of item.results) abandoned.add(result);
		}
	}
}
