/** The weight of OpenClaw's messages, and what stays of them within a budget. */
import { cutMessage, groupTurns } from "../../message/turns.ts";
import { readWire } from "../../message/view.ts";
import { weighMessage } from "../../message/weight.ts";
import type { AgentMessage } from "./contract.ts";
import { viewOf } from "./translate.ts";

export function weighAll(messages: readonly AgentMessage[]): number {
	return messages.reduce((sum, message) => sum + weighMessage(viewOf(message)), 0);
}

/**
 * Drops the oldest turns, each whole. The opening turn and the newest turn stay; if even those are too large, the opening
 * leaves too. The newest turn stays whatever its size.
 */
export function clampToBudget<Message extends object>(
	messages: readonly Message[],
	budget: number,
): readonly Message[] {
	const turns = groupTurns(
		messages.map((message) => {
			const view = readWire(message, "pi");
			return { ...cutMessage(view), message, isUser: view.speaker === "user" };
		}),
	);
	// A request must open with the user: their newest message stays.
	const newestUser = turns.findLastIndex((turn) => turn.messages.some(({ isUser }) => isUser));
	const mayLeave = [...turns.keys()].filter((at) => at !== newestUser && at !== turns.length - 1);
	// The opening leaves last: it holds the task or the seed.
	const inOrder = mayLeave[0] === 0 ? [...mayLeave.slice(1), 0] : mayLeave;
	let tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0);
	const dropped = new Set<number>();
	for (const at of inOrder) {
		if (tokens <= budget) break;
		dropped.add(at);
		tokens -= turns[at]?.tokens ?? 0;
	}
	return turns.flatMap((turn, at) => (dropped.has(at) ? [] : turn.messages.map(({ message }) => message)));
}
