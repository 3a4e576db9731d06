/** What each form must know: how to read a message, and how to change the parts that a repair changes. */
import type { JsonObject } from "../../base/json/read.ts";
import type { MessageView, ReadResult } from "../view.ts";

/** A call's place in the request, and the result that belongs there. Without a result, one is made. */
export interface PlacedResult {
	readonly callId: string;
	readonly tool: string;
	readonly result?: ReadResult | undefined;
	/** The message of the call. */
	readonly message: JsonObject;
}

export interface MessageForm {
	read(raw: JsonObject): MessageView;
	/** The message with these ids for its calls, in order, and its arguments where the form has them. */
	withCallIds(raw: JsonObject, ids: readonly string[]): JsonObject;
	/** What is left of a message without its results; undefined: nothing. */
	withoutResults(raw: JsonObject): JsonObject | undefined;
	/** The results of one assistant message, as messages. */
	results(placed: readonly PlacedResult[]): readonly JsonObject[];
	/** The message with other texts in its results; the same object where none changes. */
	mapResults(raw: JsonObject, change: (text: string, callId: string) => string): JsonObject;
	/** The message without signatures of its thinking. */
	unsigned(raw: JsonObject): JsonObject;
}

/** Constant, so that the same history always is the same bytes. */
export const MISSING_RESULT = "No result of this call was recorded.";

/** What Pi itself says when it sends a call without a result. */
export const PI_MISSING_RESULT = "No result provided";

/** What hosts write in place of a result that never came; ours included. */
const STAND_INS = new Set([MISSING_RESULT, PI_MISSING_RESULT]);

/** Only the exact words count: an error that quotes them is still a result. */
export function isStandIn({ shown }: ReadResult): boolean {
	return STAND_INS.has(shown);
}
