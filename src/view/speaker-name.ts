/** Who speaks in a conversation, for the command and the page. */
import type { ConversationMessage } from "./conversation.ts";

const NAMES: Readonly<Record<ConversationMessage["who"], string>> = {
	user: "You",
	assistant: "Agent",
	program: "Program",
	other: "Other",
};

/** Roles of the text that opens a request. */
const OPENING_ROLES: ReadonlySet<string> = new Set(["system", "developer"]);

export function speakerName({ who, role }: Pick<ConversationMessage, "who" | "role">): string {
	return who === "other" && OPENING_ROLES.has(role) ? "System" : NAMES[who];
}
