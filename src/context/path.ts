/**
 * The conversation as the log has it, seen from one entry: what opens it, and the messages after that, each as its host
 * sends it. It is read from the entry back to the first message that still stands, so it costs what is sent, not what the
 * session holds. Live requests, a look at the past and replay all read their paths here.
 */

import { asName, asObject } from "../base/json/read.ts";
import type { EventRecord } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { answerId, sentMessage } from "../message/outgoing-message.ts";
import { type CutMessage, cutMessage } from "../message/turns.ts";
import { type CallBlock, callsOf, type Form, readWire, shownText, viewMessage } from "../message/view.ts";
import { weighWire } from "../message/weight.ts";
import type { History } from "../state/history/history.ts";
import { isMessage, type TreeEntry } from "../state/session/tree.ts";
import { enterMessage } from "./entered.ts";
import type { EnvelopeMessage } from "./envelope/envelope.ts";
import { firstKept, openingMessage, pinEpoch } from "./patch/apply/epoch.ts";
import type { EpochOp } from "./patch/operation.ts";
import type { ReplayItem } from "./patch/replay.ts";
import type { Transform } from "./patch/transform.ts";
import { epochOpOf, hostCompaction, isBeyondMessages, isOwnCompaction, type Patches } from "./patches.ts";
import { isRecall, recalledTokens } from "./recalled.ts";
import type { Seed } from "./seed.ts";

export interface PathMessage extends CutMessage {
	/** The host's own id of it. */
	readonly id: string;
	readonly seq: number;
	/** The user's own words. */
	readonly asks: boolean;
	/** ms since the epoch. */
	readonly ts: number;
	/** By which it can be fetched whole. */
	readonly handle: string;
	/** Every word in it that a model reads. */
	readonly text: string;
	/** As it goes out, in its host's form. */
	readonly sent: EnvelopeMessage;
}

/** What stands for everything before the messages. */
export interface Opening {
	readonly op: EpochOp;
	readonly text: string;
	readonly tokens: number;
	readonly sent: EnvelopeMessage;
	/** Who made it: `weft/woven`, …, or `host`. */
	readonly by: string;
	/** What it holds, part by part, where that was written down. */
	readonly sections: Seed["sections"];
	readonly parts?: Seed["items"];
	/** seq of the entry after which it was made. */
	readonly place: number;
	/** Index of the first message that came after it was made. The messages before that were kept. */
	readonly madeAt: number;
}

export interface Path {
	readonly session: SessionRef;
	/** seq of the entry at which the agent stands; undefined: the session is empty. */
	readonly leaf: number | undefined;
	readonly form: Form;
	readonly opening: Opening | undefined;
	/** Those that are sent, oldest first. */
	readonly messages: readonly PathMessage[];
	/** The opening, the messages and the patches of handlers, in the order in which they came. */
	readonly items: readonly ReplayItem[];
	/** True: a call of the newest turn waits for its result. */
	readonly isOpen: boolean;
	/** seq of the newest entry by which the host changed what a message says; undefined: there is none. */
	readonly editedAt: number | undefined;
	/** The messages that have left, newest first, read one by one; those of one role where it is named. */
	readonly earlier: (role?: string) => Iterable<PathMessage>;
}

export interface PathOptions {
	readonly session: SessionRef;
	readonly leaf: number | undefined;
	readonly patches: Patches;
	/** Which compactions of the host's session count: all, those that the host made by itself, or none. */
	readonly compactions: "recorded" | "host" | "none";
	/** True: results as the entry rules would have let them in. By default as they were recorded. */
	readonly enters?: boolean | undefined;
}

/** How many entries are held ready. A path seldom has more; what falls out is read again. */
const MAX_HELD = 20_000;
/** A summary follows the line that announces it closely. */
const MAX_STEPS_TO_BOUNDARY = 20;
/** A result follows its call closely. */
const MAX_STEPS_TO_CALL = 200;

export class PathReader {
	readonly #history: History;
	readonly #held = new Map<string | number, PathMessage | null>();
	readonly #answers = new Map<number, string | undefined>();
	readonly #compactions = new Map<number, HostCompaction>();
	/** Answers that were read to join them, while a path is read: each is a message a moment later. */
	readonly #joining = new Map<number, EventRecord>();

	constructor(history: History) {
		this.#history = history;
	}

	read(options: PathOptions): Path {
		const { session, leaf } = options;
		const { entries, opening } = this.#upward(options);
		const form = this.#formOf(entries);
		const edits = this.#edits(entries);
		const messages: PathMessage[] = [];
		const items: ReplayItem[] = [];
		const described = opening && describe(opening.op, opening.by, opening.sections);
		// What it dropped was not read: its message is all that is left of it.
		if (described) items.push({ kind: "message", message: described.sent });
		const atStart = opening ? [] : (options.patches.atStart ?? []);
		for (const { transform } of atStart) items.push({ kind: "transform", transform });
		for (const patch of this.#earlier(options, entries)) items.push({ kind: "transform", transform: patch });
		// Pi's answers are never split.
		const isWhole = form === "pi" && session.host === "pi";
		for (const group of joinAnswers(entries, isWhole, (seq) => this.#answerId(seq))) {
			// A summary of the host's does not count here: the messages that it stood for are still there.
			// One that opens the path stands there already, though messages from before it are kept.
			const isPassed =
				group[0]?.role === "compactionSummary" && (options.compactions === "none" || group[0].seq === opening?.place);
			const message = !isPassed && group.some(isMessage) ? this.#message(group, options.enters) : null;
			const edited = message && edits.has(message.id) ? applyEdit(message, edits.get(message.id)) : message;
			// A file may begin in the middle. Nobody takes a conversation that does not begin with the user.
			const isStray = !opening && messages.length === 0 && edited !== null && !speaksFirst(edited);
			if (edited && !isStray) {
				messages.push(edited);
				items.push({ kind: "message", message: edited.sent });
			}
			for (const { seq } of group) {
				for (const { transform } of options.patches.at(seq)) {
					if (epochOpOf(transform)) continue;
					items.push({ kind: "transform", transform });
					const last = messages.at(-1);
					if (last && isRecall(transform)) messages[messages.length - 1] = withRecall(last, transform, form);
				}
			}
		}
		this.#joining.clear();
		for (const { transform } of messages.length === 0 ? [] : atStart)
			messages[0] = withRecall(messages[0]!, transform, form);
		const after = messages.findIndex(({ seq }) => opening !== undefined && seq > opening.place);
		const madeAt = after === -1 ? messages.length : after;
		return {
			session,
			leaf,
			form,
			messages,
			items,
			isOpen: isOpenTurn(messages),
			editedAt: entries.findLast(isEdit)?.seq,
			earlier: (role) => this.#before(messages[0]?.seq ?? leaf, options.enters, role),
			opening: opening && described && { ...described, parts: opening.parts, place: opening.place, madeAt },
		};
	}

	*#before(seq: number | undefined, enters: boolean | undefined, role?: string): Generator<PathMessage> {
		const parent = seq === undefined ? undefined : this.#history.tree.get(seq)?.parent;
		for (const entry of this.#history.tree.upward(parent ?? null)) {
			if (role !== undefined && entry.role !== role) continue;
			const message = isMessage(entry) ? this.#message([entry], enters) : null;
			if (message) yield message;
		}
	}

	/** From the leaf back to the first message that still stands. */
	#upward(options: PathOptions): { readonly entries: TreeEntry[]; readonly opening?: Found } {
		const { leaf } = options;
		const entries: TreeEntry[] = [];
		let opening: Found | undefined;
		let kept: string | null = null;
		for (const entry of this.#history.tree.upward(leaf ?? null)) {
			const found = opening ? undefined : this.#openingAt(entry, options);
			if (found) {
				opening = found;
				kept = firstKept(found.op);
				// A host's compaction that keeps itself keeps nothing but what comes after it.
				if (kept === null || (kept === entry.entry && !isMessage(entry)))
					return { entries: entries.reverse(), opening };
			}
			entries.push(entry);
			if (opening && entry.entry === kept) return { entries: entries.reverse(), opening };
		}
		entries.reverse();
		if (!opening) return { entries };
		// A first message that is not on the path keeps nothing: Pi does it so.
		const place = opening.place;
		return { entries: entries.filter(({ seq }) => seq > place), opening };
	}

	#openingAt(entry: TreeEntry, options: PathOptions): Found | undefined {
		const { patches, compactions } = options;
		for (const { seq, transform, sections, parts } of patches.at(entry.seq).toReversed()) {
			const op = epochOpOf(transform);
			if (!op) continue;
			const pinned = pinEpoch(op, (index) => this.#messageAt(index, seq, entry.seq, options));
			return { op: pinned, by: transform.transformerName, place: entry.seq, sections, parts };
		}
		if (compactions !== "none" && (entry.kind === "compaction" || entry.role === "compactionSummary")) {
			const found = this.#compaction(entry);
			if (found && (compactions === "recorded" || !found.isOwn)) return { op: found.op, by: "host", place: entry.seq };
		}
		return undefined;
	}

	/** The message at a place in what was sent before a patch, which is how entries of other programs may name one. */
	#messageAt(index: number, patch: number, place: number, options: PathOptions): string | null {
		const { patches } = options;
		const at = (entry: number) => patches.at(entry).filter(({ seq }) => entry !== place || seq < patch);
		const before = { at, beyondMessages: patches.beyondMessages };
		const { opening, messages } = this.read({ ...options, leaf: place, patches: before });
		return messages[Math.max(0, opening ? index - 1 : index)]?.id ?? null;
	}

	/** What a compaction of the host's session does. */
	#compaction(entry: TreeEntry): HostCompaction | undefined {
		const held = this.#compactions.get(entry.seq);
		if (held) return held;
		const record = this.#history.log.get(entry.seq);
		if (!record) return undefined;
		// Claude Code writes its summary as a message of the user's: it opens the path and stands there itself.
		const op = entry.kind === "compaction" ? hostCompaction(record) : spokenCompaction(record, this.#preserved(entry));
		const found = { op, isOwn: isOwnCompaction(record) };
		hold(this.#compactions, entry.seq, found);
		return found;
	}

	/** The first message that Claude Code keeps when it compacts. A line before the summary says it. */
	#preserved(summary: TreeEntry): string | null {
		let steps = 0;
		for (const { seq, kind } of this.#history.tree.upward(summary.parent)) {
			if (steps++ === MAX_STEPS_TO_BOUNDARY) break;
			if (kind === undefined) continue;
			const raw = asObject(this.#payload(seq)["raw"]);
			if (raw?.["subtype"] !== "compact_boundary") continue;
			const told = asObject(raw["compactMetadata"]);
			return asName(asObject(told?.["preservedSegment"])?.["headUuid"]) ?? null;
		}
		return null;
	}

	/** Patches from before the opening: what they said of messages left with them, what they said of the rest holds. */
	*#earlier({ leaf, patches }: PathOptions, entries: readonly TreeEntry[]): Generator<Transform> {
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

	/** Pi's edits of single messages: another content, or null for a message that is left out. */
	#edits(entries: readonly TreeEntry[]): Map<string, unknown> {
		const edits = new Map<string, unknown>();
		for (const entry of entries) {
			if (!isEdit(entry)) continue;
			const raw = asObject(this.#payload(entry.seq)["raw"]) ?? {};
			edits.set(String(raw["targetId"]), raw["replacement"] ?? null);
		}
		return edits;
	}

	#formOf(entries: readonly TreeEntry[]): Form {
		const newest = entries.findLast(isMessage);
		return newest ? formIn(this.#payload(newest.seq)) : "pi";
	}

	/** null: the host does not send it. */
	#message(group: readonly TreeEntry[], enters = false): PathMessage | null {
		const key = keyOf(group, enters);
		const held = this.#held.get(key);
		if (held !== undefined) return held;
		const spoken = group.filter(isMessage);
		const records = spoken.flatMap(({ seq }) => this.#joining.get(seq) ?? this.#history.log.get(seq) ?? []);
		const recorded = toMessage(spoken, records);
		const form = formIn(records.at(-1)?.payload ?? {});
		const made =
			recorded && enters ? enterMessage(recorded, form, (callId) => this.#call(spoken[0]!, callId)) : recorded;
		hold(this.#held, key, made);
		return made;
	}

	/** The call that a result answers. */
	#call(result: TreeEntry, callId: string): CallBlock | undefined {
		let steps = 0;
		for (const entry of this.#history.tree.upward(result.parent)) {
			if (steps++ === MAX_STEPS_TO_CALL) return undefined;
			if (!entry.calls?.includes(callId)) continue;
			return callsOf(viewMessage(this.#payload(entry.seq))).find(({ id }) => id === callId);
		}
		return undefined;
	}

	#answerId(seq: number): string | undefined {
		if (this.#answers.has(seq)) return this.#answers.get(seq);
		const record = this.#history.log.get(seq);
		const id = answerId(record?.payload ?? {});
		hold(this.#answers, seq, id);
		if (record) this.#joining.set(seq, record);
		return id;
	}

	#payload(seq: number): EventRecord["payload"] {
		return this.#history.log.get(seq)?.payload ?? {};
	}
}

interface HostCompaction {
	readonly op: EpochOp;
	/** It is a seal of ours. */
	readonly isOwn: boolean;
}

interface Found {
	readonly op: EpochOp;
	readonly by: string;
	/** seq of the entry after which it was made. */
	readonly place: number;
	readonly sections?: Seed["sections"] | undefined;
	readonly parts?: Seed["items"];
}

function hold<Key, Value>(held: Map<Key, Value>, key: Key, value: Value): void {
	if (held.has(key)) return;
	held.set(key, value);
	if (held.size > MAX_HELD) held.delete(held.keys().next().value!);
}

/** Nearly all messages are one entry: then it is a number. */
function keyOf(group: readonly TreeEntry[], enters: boolean): string | number {
	if (group.length === 1) return enters ? -group[0]!.seq : group[0]!.seq;
	return `${enters ? "entered " : ""}${group.map(({ seq }) => seq).join(" ")}`;
}

function formIn(payload: EventRecord["payload"]): Form {
	return payload["form"] === "anthropic" ? "anthropic" : "pi";
}

type Spoken = TreeEntry & { readonly role: string };

function toMessage(entries: readonly Spoken[], records: readonly EventRecord[]): PathMessage | null {
	const [first, record] = [entries[0]!, records[0]];
	const wire = sentMessage(records.map(({ payload }) => payload));
	if (!record || !wire) return null;
	const sent = Object.freeze({ ...wire, id: first.entry }) as EnvelopeMessage;
	const form = formIn(record.payload);
	let text: string | undefined;
	return {
		id: first.entry,
		seq: first.seq,
		role: first.role,
		asks: first.asks,
		ts: record.ts,
		handle: handleOf(record),
		tokens: entries.reduce((sum, { tokens }) => sum + tokens, 0),
		calls: entries.flatMap(({ calls }) => calls ?? []),
		results: entries.flatMap(({ results }) => results ?? []),
		sent,
		get text() {
			text ??= shownText(readWire(sent, form));
			return text;
		},
	};
}

/** Some hosts write one answer as several lines with one id, results between them: they are one message. */
function joinAnswers(
	entries: readonly TreeEntry[],
	isWhole: boolean,
	answerOf: (seq: number) => string | undefined,
): readonly (readonly TreeEntry[])[] {
	if (isWhole) return entries.map((entry) => [entry]);
	const groups: TreeEntry[][] = [];
	const answers = new Map<string, TreeEntry[]>();
	for (const entry of entries) {
		const id = entry.role === "assistant" ? answerOf(entry.seq) : undefined;
		const before = id === undefined ? undefined : answers.get(id);
		if (before) {
			before.push(entry);
			continue;
		}
		const group = [entry];
		groups.push(group);
		if (id !== undefined) answers.set(id, group);
	}
	return groups;
}

function spokenCompaction(record: EventRecord, keepFromId: string | null): EpochOp {
	const summary = shownText(readWire(sentMessage([record.payload]), "anthropic"));
	return {
		op: "epoch_seal",
		scope: "cached",
		seedText: summary === "" ? "(empty)" : summary,
		keepFromId,
		timestamp: record.ts,
		invalidateCacheReason: "compaction",
	};
}

export function describe(op: EpochOp, by: string, sections: Seed["sections"] = []): Omit<Opening, "place" | "madeAt"> {
	const sent = openings.get(op) ?? Object.freeze(openingMessage(op));
	openings.set(op, sent);
	const text = op.op === "epoch_seal" ? op.seedText : op.summary;
	return { op, by, text, sent, sections, tokens: weighWire(sent, "pi") };
}

/** The same operation always opens with the same message. */
const openings = new WeakMap<EpochOp, EnvelopeMessage>();

function applyEdit(message: PathMessage, replacement: unknown): PathMessage | null {
	if (replacement === null) return null;
	const content = asObject(replacement)?.["content"];
	const asBlocks = message.role === "assistant" || message.role === "toolResult";
	const blocks = asBlocks && typeof content === "string" ? [{ type: "text", text: content }] : content;
	const sent = Object.freeze({ ...message.sent, content: blocks }) as EnvelopeMessage;
	return { ...message, sent, text: shownText(readWire(sent, "pi")), ...cutMessage(readWire(sent, "pi")) };
}

/** What was recalled for a message is sent too. */
function withRecall(message: PathMessage, transform: Transform, form: Form): PathMessage {
	return { ...message, tokens: message.tokens + Math.max(0, recalledTokens(transform, message, form)) };
}

function isEdit({ kind }: TreeEntry): boolean {
	return kind === "context_edit";
}

function speaksFirst({ role }: PathMessage): boolean {
	return role !== "assistant" && role !== "toolResult";
}

/** Whoever spoke after a call gave up waiting for its result. */
function isOpenTurn(messages: readonly PathMessage[]): boolean {
	const start = messages.findLastIndex(({ role }) => role === "assistant");
	const since = messages.slice(Math.max(0, start));
	if (start < 0 || since.slice(1).some(({ role }) => role !== "toolResult")) return false;
	const answered = new Set(since.flatMap(({ results }) => results ?? []));
	return (since[0]!.calls ?? []).some((id) => !answered.has(id));
}
