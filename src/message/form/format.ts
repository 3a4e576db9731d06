/** Messages as they go to a provider or a host, in a view that the validity check and the repair share. */
import type { JsonObject } from "../../json/read.ts";

export type FormatName = "anthropic" | "openai" | "pi";

export interface WireCall {
	/** Empty where the message has none. */
	readonly id: string;
	readonly tool: string;
}

export interface WireResult {
	readonly callId: string;
	readonly text: string;
	readonly isError: boolean;
	/** The message (Pi, OpenAI) or the block (Anthropic) that it stands in. */
	readonly raw: JsonObject;
}

export interface WireMessage {
	/** `result`: nothing but results, or results before other blocks. */
	readonly role: "user" | "assistant" | "result" | "system" | "other";
	/** As the message itself says. */
	readonly roleName: string;
	readonly texts: readonly string[];
	readonly thinking: readonly { readonly signed: boolean }[];
	readonly calls: readonly WireCall[];
	readonly results: readonly WireResult[];
	/** Pictures, documents, and blocks that this version cannot read. */
	readonly others: number;
	/** The host itself does not send it: an aborted or failed answer, a command kept out of the context. */
	readonly unsent: boolean;
	/** Who thought is known in full: provider, interface and model. True where the form has no place for it. */
	readonly identified: boolean;
	/** A result stands behind another block of the same message. */
	readonly lateResult: boolean;
	readonly raw: JsonObject;
}

/** A call's place in the request, and the result that belongs there; none: one is made. */
export interface PlacedResult {
	readonly callId: string;
	readonly tool: string;
	readonly result?: WireResult;
	/** The message of the call. */
	readonly message: JsonObject;
}

export interface WireFormat {
	read(raw: JsonObject): WireMessage;
	/** The message with these ids for its calls, in order, and its arguments where the form has them. */
	withCallIds(raw: JsonObject, ids: readonly string[]): JsonObject;
	/** What is left of a message without its results; undefined: nothing. */
	withoutResults(raw: JsonObject): JsonObject | undefined;
	/** The results of one assistant message, as messages. */
	results(placed: readonly PlacedResult[]): readonly JsonObject[];
	/** The message without signatures of its thinking. */
	unsigned(raw: JsonObject): JsonObject;
}

/** Constant, so that the same history always is the same bytes. */
export const MISSING_RESULT = "No result of this call was recorded.";

/** What hosts write in place of a result that never came; ours included. */
const STAND_INS = new Set([MISSING_RESULT, "No result provided"]);

/** Only the exact words count: an error that quotes them is still a result. */
export function isStandIn({ text }: WireResult): boolean {
	return STAND_INS.has(text);
}
