/** A message of the host's as the assembly knows it: an id, a size, and its words for whoever asks. */
import type { WovenMessage } from "../../context/seal/weave.ts";
import { weighMessage } from "../../message/weigh.ts";
import { wireMessages, wireText } from "../../message/wire.ts";
import type { AgentMessage } from "./contract.ts";
import { viewOf } from "./translate.ts";

export function wovenMessage(message: AgentMessage, id: string): WovenMessage {
	const view = viewOf(message);
	return {
		id,
		role: view.role,
		tokens: weighMessage(view),
		// Only a seal asks for it.
		get text() {
			return textOf(message);
		},
	};
}

export function textOf(message: AgentMessage): string {
	const payload = { role: message.role, form: "pi", raw: message };
	return wireMessages(payload, viewOf(message)).map(wireText).join("\n");
}

export function weighAll(messages: readonly AgentMessage[]): number {
	return messages.reduce((sum, message) => sum + weighMessage(viewOf(message)), 0);
}
