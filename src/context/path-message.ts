/** The messages of a path, made from the entries of the log and kept ready for the next path. */

import { BoundedMap } from "../base/collection/bounded.ts";
import { asObject } from "../base/json/read.ts";
import type { EventRecord } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import { formOf } from "../message/dialect/forms.ts";
import { withoutNotes } from "../message/note.ts";
import { answerId, sentMessage } from "../message/outgoing-message.ts";
import { cutMessage } from "../message/turns.ts";
import { type CallBlock, callsOf, type Form, readWire, shownText, viewMessage } from "../message/view.ts";
import type { History } from "../state/history/history.ts";
import { commandText } from "../state/session/shell-command.ts";
import { toolClass } from "../state/session/tool-class.ts";
import { limitToolResult } from "../state/session/tool-result-limits.ts";
import { isMessage, type TreeEntry } from "../state/session/tree.ts";
import type { EnvelopeMessage } from "./envelope/envelope.ts";
import type { PathMessage } from "./path.ts";

/** The entries of one message: several where an agent writes one answer as several lines. */
export type EntryGroup = readonly [TreeEntry, ...TreeEntry[]];

/** By the id of a message: the agent's replacement, or null where it left the message out. */
type Replacements = ReadonlyMap<string, unknown>;

/** A path seldom has more entries; a message that was dropped is read again. */
const MAX_HELD = 20_000;
/** A result follows its call closely. */
const MAX_STEPS_TO_CALL = 200;

export class PathMessages {
	readonly #history: History;
	readonly #held = new BoundedMap<string | number, PathMessage | null>(MAX_HELD);
	readonly #answers = new BoundedMap<number, string | undefined>(MAX_HELD);
	/** Answers read for their ids while a path is read: each becomes a message a moment later. */
	readonly #joining = new Map<number, EventRecord>();

	constructor(history: History) {
		this.#history = history;
	}

	formOf(entries: readonly TreeEntry[]): Form {
		const newest = entries.findLast(isMessage);
		return newest ? formIn(this.#payload(newest.seq)) : "pi";
	}

	/** Some agents write one answer as several lines with one id, results between them: they are one message. */
	groups(entries: readonly TreeEntry[]): readonly EntryGroup[] {
		const groups: EntryGroup[] = [];
		const answers = new Map<string, TreeEntry[]>();
		for (const entry of entries) {
			const id = entry.role === "assistant" ? this.#answerId(entry.seq) : undefined;
			const begun = id === undefined ? undefined : answers.get(id);
			if (begun) {
				begun.push(entry);
				continue;
			}
			const group: [TreeEntry, ...TreeEntry[]] = [entry];
			groups.push(group);
			if (id !== undefined) answers.set(id, group);
		}
		return groups;
	}

	/** null: the agent does not send it. */
	read(group: EntryGroup, enters = false, replacements?: Replacements): PathMessage | null {
		const message = group.some(isMessage) ? this.#message(group, enters) : null;
		return message && replacements?.has(message.id) ? replaceContent(message, replacements.get(message.id)) : message;
	}

	/** What Pi replaced single messages with, by their ids. */
	replacements(entries: readonly TreeEntry[]): Replacements {
		const replacements = new Map<string, unknown>();
		for (const entry of entries) {
			if (!isContextEdit(entry)) continue;
			const raw = asObject(this.#payload(entry.seq)["raw"]) ?? {};
			replacements.set(this.editedBy(entry), raw["replacement"] ?? null);
		}
		return replacements;
	}

	/** The id of the message that an edit replaced. */
	editedBy(edit: TreeEntry): string {
		return String(asObject(this.#payload(edit.seq)["raw"])?.["targetId"]);
	}

	/** The messages before an entry, newest first. */
	*before(seq: number | undefined, enters: boolean | undefined, role?: string): Generator<PathMessage> {
		const parent = seq === undefined ? undefined : this.#history.tree.get(seq)?.parent;
		for (const entry of this.#history.tree.upward(parent ?? null)) {
			if (role !== undefined && entry.role !== role) continue;
			const message = this.read([entry], enters);
			if (message) yield message;
		}
	}

	/** Releases the records that were read for this path alone. */
	endRead(): void {
		this.#joining.clear();
	}

	#message(group: EntryGroup, enters: boolean): PathMessage | null {
		const key = keyOf(group, enters);
		const held = this.#held.get(key);
		if (held !== undefined) return held;
		const spoken = group.filter(isMessage);
		const records = spoken.flatMap(({ seq }) => this.#joining.get(seq) ?? this.#history.log.get(seq) ?? []);
		const recorded = toMessage(spoken, records);
		const form = formIn(records.at(-1)?.payload ?? {});
		const made =
			recorded && enters ? limitResults(recorded, form, (callId) => this.#callBefore(group[0], callId)) : recorded;
		this.#held.set(key, made);
		return made;
	}

	/** The call that a result answers. */
	#callBefore(result: TreeEntry, callId: string): CallBlock | undefined {
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
		this.#answers.set(seq, id);
		if (record) this.#joining.set(seq, record);
		return id;
	}

	#payload(seq: number): EventRecord["payload"] {
		return this.#history.log.get(seq)?.payload ?? {};
	}
}

export function isContextEdit({ kind }: TreeEntry): boolean {
	return kind === "context_edit";
}

/** Nearly all messages are one entry: then it is a number. */
function keyOf(group: EntryGroup, enters: boolean): string | number {
	if (group.length === 1) return enters ? -group[0].seq : group[0].seq;
	return `${enters ? "entered " : ""}${group.map(({ seq }) => seq).join(" ")}`;
}

function formIn(payload: EventRecord["payload"]): Form {
	return payload["form"] === "anthropic" ? "anthropic" : "pi";
}

type SpokenEntry = TreeEntry & { readonly role: string };

function toMessage(entries: readonly SpokenEntry[], records: readonly EventRecord[]): PathMessage | null {
	const [first, record] = [entries[0], records[0]];
	const wire = sentMessage(records.map(({ payload }) => payload));
	if (!first || !record || !wire) return null;
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

function replaceContent(message: PathMessage, replacement: unknown): PathMessage | null {
	if (replacement === null) return null;
	const content = asObject(replacement)?.["content"];
	const asBlocks = message.role === "assistant" || message.role === "toolResult";
	const blocks = asBlocks && typeof content === "string" ? [{ type: "text", text: content }] : content;
	const sent = Object.freeze({ ...message.sent, content: blocks }) as EnvelopeMessage;
	return { ...message, sent, text: shownText(readWire(sent, "pi")), ...cutMessage(readWire(sent, "pi")) };
}

/** A recorded message with its tool results limited as they would have been, had weft been there. */
function limitResults(
	message: PathMessage,
	form: Form,
	callOf: (callId: string) => CallBlock | undefined,
): PathMessage {
	if ((message.results ?? []).length === 0) return message;
	const wire = formOf(form).mapResults(message.sent, (text, callId) => {
		const call = callOf(callId);
		const own = withoutNotes(text);
		const entered = call && limitToolResult(own, describeCall(call, form));
		return entered ? entered.text + text.slice(own.length) : text;
	});
	if (wire === message.sent) return message;
	const sent = Object.freeze(wire) as EnvelopeMessage;
	const view = readWire(sent, form);
	return { ...message, tokens: cutMessage(view).tokens, sent, text: shownText(view) };
}

function describeCall({ tool, input }: CallBlock, form: Form) {
	const command = commandText(asObject(input) ?? {});
	return { class: toolClass(tool), command, isDecorated: form === "anthropic" };
}
