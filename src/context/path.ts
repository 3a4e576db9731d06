/**
 * The conversation as the log has it, seen from one entry: the text that opens it, and the messages after that, each as its
 * agent sends it. It is read from the entry back to the first message that is still sent, so it costs what is sent, not what
 * the session holds. Live requests, a look at the past and replay all read their paths here.
 */

import type { SessionRef } from "../log/session-ref.ts";
import type { CutMessage } from "../message/turns.ts";
import type { Form } from "../message/view.ts";
import type { History } from "../state/history/history.ts";
import type { TreeEntry } from "../state/session/tree.ts";
import type { EnvelopeMessage } from "./envelope/envelope.ts";
import { type ContextPatchOp, type EpochOp, isBeyondMessages } from "./patch/operation.ts";
import type { ReplayItem } from "./patch/replay.ts";
import type { Transform } from "./patch/transform.ts";
import { type EntryGroup, isContextEdit, PathMessages } from "./path-message.ts";
import { describeOpening, type FoundOpening, OpeningFinder } from "./path-opening.ts";
import type { Seed } from "./section/section.ts";
import { epochOpOf, isRecall, type Patches, recalledTokens } from "./session-patches.ts";

export interface PathMessage extends CutMessage {
	/** The agent's own id of it. */
	readonly id: string;
	readonly seq: number;
	/** The user's own words. */
	readonly asks: boolean;
	/** ms since the epoch. */
	readonly ts: number;
	/** Fetches it whole. */
	readonly handle: string;
	/** All the text in it that a model reads. */
	readonly text: string;
	/** As it goes out, in its agent's form. */
	readonly sent: EnvelopeMessage;
}

/** The text in place of everything before the messages. */
export interface Opening {
	readonly op: EpochOp;
	readonly text: string;
	readonly tokens: number;
	readonly sent: EnvelopeMessage;
	/** Its author: `weft/woven`, …, or `host`. */
	readonly by: string;
	/** Its parts, where they were recorded. */
	readonly sections: Seed["sections"];
	readonly parts?: Seed["items"];
	/** seq of the entry after which it was made. */
	readonly place: number;
	/** Index of the first message that came after it was made. The messages before that were kept. */
	readonly madeAt: number;
}

export interface Path {
	readonly session: SessionRef;
	/** seq of the agent's newest entry; undefined: the session is empty. */
	readonly leaf: number | undefined;
	readonly form: Form;
	readonly opening: Opening | undefined;
	/** Oldest first. */
	readonly messages: readonly PathMessage[];
	/** The opening, the messages, the patches of handlers and changes by others, in the order in which they came. */
	readonly items: readonly ReplayItem[];
	/** True: a call of the newest turn still waits for its result. */
	readonly isOpen: boolean;
	/** seq of the newest entry by which the agent edited a message; undefined: there is none. */
	readonly editedAt: number | undefined;
	/** The messages that have left, newest first, read one by one; of one role, if given. */
	readonly earlier: (role?: string) => Iterable<PathMessage>;
}

export interface PathOptions {
	readonly session: SessionRef;
	readonly leaf: number | undefined;
	readonly patches: Patches;
	/** Which compactions of the agent's session count: all, those that the agent made by itself, or none. */
	readonly compactions: "recorded" | "host" | "none";
	/** True: tool results limited as weft would have limited them. By default as they were recorded. */
	readonly enters?: boolean | undefined;
}

export class PathReader {
	readonly #history: History;
	readonly #messages: PathMessages;
	readonly #openings: OpeningFinder;

	constructor(history: History) {
		this.#history = history;
		this.#messages = new PathMessages(history);
		this.#openings = new OpeningFinder(history);
	}

	read(options: PathOptions): Path {
		const { session, leaf, patches, enters } = options;
		const { entries, opening } = this.#openings.find(options, (before) => this.read(before));
		const described = opening && describeOpening(opening.op, opening.by, opening.sections);
		const form = this.#messages.formOf(entries);
		const builder = new PathBuilder(form);
		// The messages that the opening dropped are not read: its own message is all that is left of them.
		if (described) builder.items.push({ kind: "message", message: described.sent });
		const atStart = opening ? [] : (patches.atStart ?? []);
		for (const { transform } of atStart) builder.addTransform(transform);
		for (const transform of this.#patchesBefore(options, entries)) builder.addTransform(transform);
		const replacements = this.#messages.replacements(entries);
		let isOpened = false;
		for (const group of this.#messages.groups(entries)) {
			// The messages up to here were kept: the model wrote them after the messages that left.
			if (opening && !isOpened && group[0].seq > opening.keptTo) {
				isOpened = true;
				builder.addChange(null);
			}
			const message = isReplacedSummary(group, options, opening)
				? null
				: this.#messages.read(group, enters, replacements);
			// A file may begin in the middle, but no provider takes a conversation that does not begin with the user.
			const isStray = message !== null && !opening && builder.messages.length === 0 && !canSpeakFirst(message);
			if (message && !isStray) builder.addMessage(message);
			else builder.passOver(group[0].entry);
			for (const entry of group) {
				if (isContextEdit(entry)) builder.addEdit(this.#messages.editedBy(entry));
				for (const { transform } of patches.at(entry.seq)) {
					if (epochOpOf(transform)) continue;
					const own = opening && !isOpened ? this.#forKept(transform, session, entries) : transform;
					if (own) builder.addTransform(own);
				}
			}
		}
		if (opening && !isOpened) builder.addChange(null);
		this.#messages.endRead();
		for (const { transform } of atStart) builder.weighFirstRecall(transform);
		const { messages, items } = builder;
		return {
			session,
			leaf,
			form,
			messages,
			items,
			isOpen: isOpenTurn(messages),
			editedAt: entries.findLast(isContextEdit)?.seq,
			earlier: (role) => this.#messages.before(messages[0]?.seq ?? leaf, enters, role),
			opening: opening &&
				described && {
					...described,
					parts: opening.parts,
					place: opening.place,
					madeAt: indexAfter(messages, opening.keptTo),
				},
		};
	}

	/**
	 * A patch from before the opening, for the messages that were kept: what it did to the others left with them. Undefined: nothing is
	 * left of it.
	 */
	#forKept(transform: Transform, session: SessionRef, entries: readonly TreeEntry[]): Transform | undefined {
		const first = entries[0]?.seq ?? 0;
		const hasLeft = (id: string) => (this.#history.tree.find(session, id) ?? first) < first;
		const patch = transform.patch.flatMap((op): ContextPatchOp[] => {
			if (op.op === "item_replace" && op.scope === "cached") return hasLeft(op.id) ? [] : [op];
			if (op.op !== "items_drop" || op.scope !== "cached") return [op];
			const ids = op.ids.filter((id) => !hasLeft(id));
			return ids.length > 0 ? [{ ...op, ids }] : [];
		});
		return patch.length > 0 ? { ...transform, patch } : undefined;
	}

	/** Patches from before the opening: those of messages left with them, those of the system text, tools and options hold. */
	*#patchesBefore({ leaf, patches }: PathOptions, entries: readonly TreeEntry[]): Generator<Transform> {
		const first = entries[0]?.seq ?? 0;
		const before = patches.beyondMessages.filter((seq) => seq < first);
		if (before.length === 0) return;
		const onPath = new Set<number>();
		for (const { seq } of this.#history.tree.upward(leaf ?? null)) onPath.add(seq);
		for (const place of before) {
			if (!onPath.has(place)) continue;
			for (const { transform } of patches.at(place)) {
				const patch = transform.patch.filter(({ op }) => isBeyondMessages(op));
				if (patch.length > 0) yield { ...transform, patch };
			}
		}
	}
}

/** Collects messages and patches in the order in which they came. */
class PathBuilder {
	readonly messages: PathMessage[] = [];
	readonly items: ReplayItem[] = [];
	readonly #form: Form;
	/** Of entries without a message: the index of the next message. */
	readonly #places = new Map<string, number>();

	constructor(form: Form) {
		this.#form = form;
	}

	addMessage(message: PathMessage): void {
		this.messages.push(message);
		this.items.push({ kind: "message", message: message.sent });
	}

	addTransform(transform: Transform): void {
		this.items.push({ kind: "transform", transform });
		if (isRecall(transform)) this.#weighRecall(this.messages.length - 1, transform);
	}

	/** An entry that is no message, or that was removed: where it was. */
	passOver(entry: string): void {
		this.#places.set(entry, this.messages.length);
	}

	/** `from`: the first message that comes after something else than before; null: the first of all. */
	addChange(from: string | null): void {
		this.items.push({ kind: "change", from });
	}

	/** The agent replaced or removed this message. Later messages than that come after something else now. */
	addEdit(id: string): void {
		const at = this.#places.get(id) ?? this.messages.findIndex((message) => message.id === id);
		const from = at < 0 ? undefined : this.messages[at]?.id;
		if (from !== undefined) this.addChange(from);
	}

	weighFirstRecall(transform: Transform): void {
		this.#weighRecall(0, transform);
	}

	/** Recalled text is sent with its message, so the message weighs more. */
	#weighRecall(at: number, transform: Transform): void {
		const message = this.messages[at];
		if (!message) return;
		const more = Math.max(0, recalledTokens(transform, message, this.#form));
		this.messages[at] = { ...message, tokens: message.tokens + more };
	}
}

/** A summary of the agent's own that is not sent: its compaction does not count here, or it opens the path already. */
function isReplacedSummary([first]: EntryGroup, options: PathOptions, opening: FoundOpening | undefined): boolean {
	return first.role === "compactionSummary" && (options.compactions === "none" || first.seq === opening?.place);
}

/** Index of the first message after an entry. */
function indexAfter(messages: readonly PathMessage[], place: number): number {
	const index = messages.findIndex(({ seq }) => seq > place);
	return index === -1 ? messages.length : index;
}

function canSpeakFirst({ role }: PathMessage): boolean {
	return role !== "assistant" && role !== "toolResult";
}

/** A message after a call, other than a result, ends the wait for results. */
function isOpenTurn(messages: readonly PathMessage[]): boolean {
	const start = messages.findLastIndex(({ role }) => role === "assistant");
	const [answer, ...since] = start < 0 ? [] : messages.slice(start);
	if (!answer || since.some(({ role }) => role !== "toolResult")) return false;
	const answered = new Set([answer, ...since].flatMap(({ results }) => results ?? []));
	return (answer.calls ?? []).some((id) => !answered.has(id));
}
