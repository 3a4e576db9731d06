/**
 * Fits messages into a budget: the oldest turns leave, each whole; the message that opens the request and the newest turn
 * stay. Where even those are too much, the opening leaves, and at last only the newest turn is left, whatever its size.
 */
import { asObject } from "../json/read.ts";
import type { FormatName } from "./form/format.ts";
import { formatOf } from "./form/formats.ts";
import { weighWire } from "./weigh-wire.ts";

export interface Clamped<Message> {
	readonly messages: readonly Message[];
	readonly dropped: readonly Message[];
}

export function clampToBudget<Message extends object>(
	messages: readonly Message[],
	format: FormatName,
	budget: number,
): Clamped<Message> {
	const turns = turnsOf(messages, format);
	let tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0);
	const kept = turns.map(() => true);
	const newest = newestUserTurn(turns);
	// The opening is the last to go: it holds the task or the seed.
	const order = [...turns.keys()].slice(1).filter((at) => at < turns.length - 1 && at !== newest);
	for (const at of [...order, 0]) {
		if (tokens <= budget || at >= turns.length - 1 || (at === 0 && newest === 0)) break;
		kept[at] = false;
		tokens -= turns[at]!.tokens;
	}
	const pick = (wanted: boolean): Message[] => turns.flatMap((turn, at) => (kept[at] === wanted ? turn.messages : []));
	return { messages: pick(true), dropped: pick(false) };
}

interface Turn<Message> {
	readonly messages: Message[];
	readonly fromUser: boolean;
	tokens: number;
}

function turnsOf<Message extends object>(messages: readonly Message[], format: FormatName): Turn<Message>[] {
	const { read } = formatOf(format);
	const turns: Turn<Message>[] = [];
	for (const message of messages) {
		const { role } = read(asObject(message) ?? {});
		const turn = role === "result" ? turns.at(-1) : undefined;
		const tokens = weighWire(message);
		if (turn) {
			turn.messages.push(message);
			turn.tokens += tokens;
		} else turns.push({ messages: [message], fromUser: role === "user", tokens });
	}
	return turns;
}

/** A request must open with the user: the newest thing that they said stays. */
function newestUserTurn(turns: readonly Turn<unknown>[]): number {
	return turns.findLastIndex(({ fromUser }) => fromUser);
}
