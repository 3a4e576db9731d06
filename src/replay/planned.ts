/** What a mode would have sent. */

import type { JsonObject } from "../json/read.ts";
import { weighWire } from "../message/weigh.ts";
import type { Path } from "./path.ts";
import { keyOf } from "./recorded-message.ts";
import type { RecordedCall } from "./recording.ts";

export interface PlannedMessage {
	readonly wire: JsonObject;
	/** Of its bytes: equal key, equal bytes. */
	readonly key: string;
	/** Every word in it that a model reads. */
	readonly text: string;
	readonly tokens: number;
}

export interface PlannedRequest {
	readonly messages: readonly PlannedMessage[];
	/** Tokens that a summariser model read before it. */
	readonly summarised?: number;
	/** Why bytes that were sent before are others now, where the mode changed them. */
	readonly reason?: string;
}

export interface Mode {
	plan(call: RecordedCall, path: Path): PlannedRequest | Promise<PlannedRequest>;
	/** How often it put something else in the place of raw messages. */
	readonly seals: number;
}

/** Our own words, as a message in the user's name: the same bytes in the forms of all hosts. */
export function planText(text: string): PlannedMessage {
	const wire = { role: "user", content: [{ type: "text", text }] };
	return { wire, key: keyOf(wire), text, tokens: weighWire(wire, "pi") };
}

export function sumTokens(messages: readonly { readonly tokens: number }[], from = 0): number {
	let sum = 0;
	for (let at = from; at < messages.length; at++) sum += messages[at]!.tokens;
	return sum;
}
