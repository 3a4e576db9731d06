/**
 * Where may a conversation be cut? Between turns, and only where every call has its result on the same side. Pure.
 */
import { callsOf, type MessageView, resultsOf } from "./view.ts";
import { weighMessage } from "./weight.ts";

/** A message, as far as a cut depends on it. */
export interface CutMessage {
	/** user, assistant, toolResult, … */
	readonly role: string;
	readonly tokens: number;
	/** Ids of its calls, and of the calls that it answers. Undefined: a result belongs to the answer before it. */
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
	/** False: the turn waits for results. Only the newest turn can. */
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
	// A message after a call means that the agent no longer waits for the result: only the newest turn can be open.
	if (newest && isOpen(newest.messages)) turns[turns.length - 1] = { ...newest, closed: false };
	return turns;
}

/**
 * Index of the first message to keep: whole turns from the end while they fit in `limit` tokens, the newest turn in any case, and none
 * before the message `least`.
 */
export function keepNewest(
	messages: readonly CutMessage[],
	{ limit, least = 0 }: { readonly limit: number; readonly least?: number | undefined },
): number {
	const starts = turnStarts(messages, least).reverse();
	let first = starts[0] ?? messages.length;
	let tokens = sumTokens(messages, first, messages.length);
	for (const start of starts.slice(1)) {
		tokens += sumTokens(messages, start, first);
		if (tokens > limit) break;
		first = start;
	}
	return first;
}

function sumTokens(messages: readonly CutMessage[], from: number, to: number): number {
	let sum = 0;
	for (let at = from; at < to; at++) sum += messages[at]?.tokens ?? 0;
	return sum;
}

/** Indices at which a turn begins, in order, from the message `least` on. */
export function turnStarts(messages: readonly CutMessage[], least = 0): number[] {
	const starts: number[] = [];
	const callAt = new Map<string, number>();
	const open = new Set<string>();
	let answer: number | undefined;
	let before: CutMessage | undefined;
	for (let index = least; index < messages.length; index++) {
		const message = messages[index];
		if (!message) continue;
		if (!before || beginsTurn(message, before, open)) {
			starts.push(index);
			open.clear();
		}
		before = message;
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

/** A late result joins everything since its call to one turn. */
function bind(starts: number[], call: number | undefined): void {
	if (call !== undefined) while (starts.length > 1 && (starts.at(-1) ?? 0) > call) starts.pop();
}

function beginsTurn(message: CutMessage, before: CutMessage, open: ReadonlySet<string>): boolean {
	if (message.role === "toolResult" || (message.results ?? []).length > 0) return false;
	// Claude Code writes one answer as several lines.
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
