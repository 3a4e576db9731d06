import type { EnvelopeMessage } from "../../src/context/envelope/envelope.ts";

/** A user's message in an envelope; it says its own id unless told otherwise. */
export function userMessage(id: string, content: unknown = id, more: object = {}): EnvelopeMessage {
	return { id, role: "user", content, ...more };
}
