/** A message of the host's as the assembly knows it: an id, a size, and its words for whoever asks. */
import type { WovenMessage } from "../../context/seal/weave.ts";
import { cutMessage } from "../../message/turns.ts";
import { shownText } from "../../message/view.ts";
import { weighMessage } from "../../message/weigh.ts";
import type { AgentMessage } from "./contract.ts";
import { viewOf } from "./translate.ts";

export function wovenMessage(message: AgentMessage, id: string): WovenMessage {
	const view = viewOf(message);
	return {
		id,
		...cutMessage(view),
		// Only a seal asks for it.
		get text() {
			return textOf(message);
		},
	};
}

export function textOf(message: AgentMessage): string {
	return shownText(viewOf(message));
}

export function weighAll(messages: readonly AgentMessage[]): number {
	return messages.reduce((sum, message) => sum + weighMessage(viewOf(message)), 0);
}
