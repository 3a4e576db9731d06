/**
 * Where may a conversation be cut? Between turns, and only where every call has its result on the same side. Pure.
 */
import { callsOf, type MessageView, resultsOf } from "./view.ts";
import { weighMessage } from "./weigh.ts";

/** What a cut must know of a message. */
export interface CutMessage {
	/** user, assistant, toolResult, … */
	readonly role: string;
	readonly tokens: number;
	/** Ids of the calls that it makes, and of those that it answers. Unknown: a result belongs to the answer before it. */
	readonly calls?: readonly string[] | undefined;
	readonly results?: readonly string[] | undefined;
}

export function cutMessage(view: MessageView) {
	return {
		role: view.role,
		tokens: weighMessage(view),
		calls: callsOf(view).map(({ id }) => id),
		results: resultsOf(view).map(({ callId }) => callId),
	};
}

/** Messages that must stay together: an assistant message with its results, or a message of another kind. */
export interface Turn<Message extends CutMessage = CutMessage> {
	readonly messages: readonly Message[];
	readonly tokens: number;
	/** False: the newest turn still waits for results. */
	readonly closed: boolean;
}

export function groupTurns<Message extends CutMessage>(messages: readonly Message[]): Turn<Message>[] {
	const starts = turnStarts(messages);
	const turns: Turn<Message>[] = [];
	for (const [at, start] of starts.entries()) {
		const part = messages.slice(start, starts[at + 1] ?? messages.length);
		turns.push({ messages: part, tokens: part.reduce((sum, { tokens }) => sum + tokens, 0), closed: true });
	}
	const newest = turns.at(-1);
	// Whoever spoke after a call gave up waiting for it: only the newest turn can be open.
	if (newest && isOpen(newest.messages)) turns[turns.length - 1] = { ...newest, closed: false };
	return turns;
}

/**
 * Index of the first message to keep: whole turns from the end while they fit in `limit` tokens, the newest turn always,
 * and nothing before the message `least`.
 */
export function keepNewest(
	messages: readonly CutMessage[],
	{ limit, least = 0 }: { readonly limit: number; readonly least?: number | undefined },
): number {
	const starts = turnStarts(messages, least);
	let first = starts.at(-1) ?? messages.length;
	let tokens = sumTokens(messages, first, messages.length);
	for (let at = starts.length - 2; at >= 0; at--) {
		tokens += sumTokens(messages, starts[at]!, first);
		if (tokens > limit) break;
		first = starts[at]!;
	}
	return first;
}

function sumTokens(messages: readonly CutMessage[], from: number, to: number): number {
	let sum = 0;
	for (let at = from; at < to; at++) sum += messages[at]!.tokens;
	return sum;
}

/** Indices at which a turn begins, in order, from the message `least` on. */
export function turnStarts(messages: readonly CutMessage[], least = 0): number[] {
	const starts: number[] = [];
	const callAt = new Map<string, number>();
	const open = new Set<string>();
	let answer: number | undefined;
	for (let index = least; index < messages.length; index++) {
		const message = messages[index]!;
		if (index === least || beginsTurn(message, messages[index - 1]!, open)) {
			starts.push(index);
			open.clear();
		}
		if (message.role === "toolResult" && message.results === undefined) bind(starts, answer);
		for (const id of message.results ?? []) {
			bind(starts, callAt.get(id));
			open.delete(id);
		}
		for (const id of message.calls ?? []) {
			callAt.set(id, index);
			open.add(id);
		}
		if (message.role === "assistant") answer = index;
	}
	return starts;
}

/** A result that comes late binds everything since its call. */
function bind(starts: number[], call: number | undefined): void {
	if (call !== undefined) while (starts.length > 1 && starts.at(-1)! > call) starts.pop();
}

function beginsTurn(message: CutMessage, before: CutMessage, open: ReadonlySet<string>): boolean {
	if (message.role === "toolResult" || (message.results ?? []).length > 0) return false;
	// Claude Code writes one answer of the model as several lines.
	if (message.role === "assistant") return before.role !== "assistant";
	return message.role === "user" || open.size === 0;
}

function isOpen(messages: readonly CutMessage[]): boolean {
	const open = new Set<string>();
	for (const { calls, results } of messages) {
		for (const id of calls ?? []) open.add(id);
		for (const id of results ?? []) open.delete(id);
	}
	return open.size > 0;
}
