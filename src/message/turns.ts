/**
 * Where may a conversation be cut? Between turns, and only where every call has its result on the same side. Pure.
 */
/** What a cut must know of a message. */
export interface CutMessage {
	/** user, assistant, toolResult, … */
	readonly role: string;
	readonly tokens: number;
	/** Ids of the calls that it makes, and of those that it answers. */
	readonly calls: readonly string[];
	readonly results: readonly string[];
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
 * Index of the first message to keep: the newest whole turns within a limit of tokens, the newest one always; never before
 * `least`.
 */
export function keepNewest(
	messages: readonly CutMessage[],
	{ limit, least = 0 }: { readonly limit: number; readonly least?: number },
): number {
	let first = messages.length;
	let tokens = 0;
	for (const turn of groupTurns(messages).toReversed()) {
		tokens += turn.tokens;
		if (first < messages.length && tokens > limit) break;
		const start = first - turn.messages.length;
		if (start < least) break;
		first = start;
	}
	return first === messages.length ? least : first;
}

/** Indices at which a turn begins, in order. */
function turnStarts(messages: readonly CutMessage[]): number[] {
	const starts: number[] = [];
	const callAt = new Map<string, number>();
	const open = new Set<string>();
	for (const [index, message] of messages.entries()) {
		if (beginsTurn(message, messages[index - 1], open)) {
			starts.push(index);
			open.clear();
		}
		for (const id of message.results) {
			const call = callAt.get(id);
			// A result that comes late binds everything since its call.
			if (call !== undefined) while (starts.length > 1 && starts.at(-1)! > call) starts.pop();
			open.delete(id);
		}
		for (const id of message.calls) {
			callAt.set(id, index);
			open.add(id);
		}
	}
	return starts;
}

function beginsTurn(message: CutMessage, before: CutMessage | undefined, open: ReadonlySet<string>): boolean {
	if (!before) return true;
	if (message.results.length > 0 || message.role === "toolResult") return false;
	// Claude Code writes one answer of the model as several lines.
	if (message.role === "assistant") return before.role !== "assistant";
	return message.role === "user" || open.size === 0;
}

function isOpen(messages: readonly CutMessage[]): boolean {
	const open = new Set<string>();
	for (const { calls, results } of messages) {
		for (const id of calls) open.add(id);
		for (const id of results) open.delete(id);
	}
	return open.size > 0;
}
