/** The contract of each form: how to read a message, and how to change the parts that a repair changes. */
import type { JsonObject } from "../../base/json/read.ts";
import type { MessageView, ReadResult } from "../view.ts";

/** A call of the request with its result. Without a result, a stand-in is made. */
export interface PlacedResult {
	readonly callId: string;
	readonly tool: string;
	readonly result?: ReadResult | undefined;
	/** The message of the call. */
	readonly message: JsonObject;
}

/** Where the APIs differ in what they accept. */
export interface FormRules {
	/** System text comes as messages, before all others. */
	readonly hasSystemMessages: boolean;
	/** Assistant messages that follow each other are one turn. */
	readonly joinsAnswers: boolean;
	readonly refusesBlankText: boolean;
	/** Thinking without a signature is refused. */
	readonly needsSignatures: boolean;
}

export const NO_RULES: FormRules = {
	hasSystemMessages: false,
	joinsAnswers: false,
	refusesBlankText: false,
	needsSignatures: false,
};

export interface MessageForm {
	readonly rules: FormRules;
	read(raw: JsonObject): MessageView;
	/** The message with these ids for its calls, in order, and its arguments where the form has them. */
	withCallIds(raw: JsonObject, ids: readonly string[]): JsonObject;
	/** The rest of a message without its results; undefined: nothing is left. */
	withoutResults(raw: JsonObject): JsonObject | undefined;
	/** The results of one assistant message, as messages. */
	results(placed: readonly PlacedResult[]): readonly JsonObject[];
	/** The message with other texts in its results; the same object where none changes. */
	mapResults(raw: JsonObject, change: (text: string, callId: string) => string): JsonObject;
	/** The message without signatures of its thinking. */
	unsigned(raw: JsonObject): JsonObject;
}

/** Constant, so that the same history always has the same bytes. */
export const MISSING_RESULT = "No result of this call was recorded.";

/** Pi's own words when it sends a call without a result. */
export const PI_MISSING_RESULT = "No result provided";

/** Words in place of a result that never came. */
const STAND_INS = new Set([MISSING_RESULT, PI_MISSING_RESULT]);

/** Only the exact words count: an error that quotes them is still a result. */
export function isStandIn({ shown }: ReadResult): boolean {
	return STAND_INS.has(shown);
}
