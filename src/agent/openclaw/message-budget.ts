/**
 * Fits messages into a budget: the oldest turns leave, each whole; the turn that opens the request and the newest turn stay. If even those
 * are too large, the opening leaves too. The newest turn stays whatever its size.
 */
import { cutMessage, groupTurns } from "../../message/turns.ts";
import { type Form, readWire } from "../../message/view.ts";

export interface Clamped<Message> {
	readonly messages: readonly Message[];
	readonly dropped: readonly Message[];
}

export function clampToBudget<Message extends object>(
	messages: readonly Message[],
	form: Form,
	budget: number,
): Clamped<Message> {
	const turns = groupTurns(
		messages.map((message) => {
			const view = readWire(message, form);
			return { ...cutMessage(view), message, isUser: view.speaker === "user" };
		}),
	);
	// A request must open with the user: their newest message stays.
	const newestUser = turns.findLastIndex((turn) => turn.messages.some(({ isUser }) => isUser));
	const mayLeave = [...turns.keys()].filter((at) => at !== newestUser && at !== turns.length - 1);
	// The opening leaves last: it holds the task or the seed.
	const inOrder = mayLeave[0] === 0 ? [...mayLeave.slice(1), 0] : mayLeave;
	let tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0);
	const left = new Set<number>();
	for (const at of inOrder) {
		if (tokens <= budget) break;
		left.add(at);
		tokens -= turns[at]?.tokens ?? 0;
	}
	const pick = (isLeft: boolean): Message[] =>
		turns.flatMap((turn, at) => (left.has(at) === isLeft ? turn.messages.map(({ message }) => message) : []));
	return { messages: pick(false), dropped: pick(true) };
}
