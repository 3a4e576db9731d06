/**
 * The calls of a session, for the results that will name them. A result follows its call closely, so only the newest are
 * kept, and the long arguments of a call only until its first result: a session of any size is read in bounded memory.
 */

import { asObject, type JsonObject } from "../../base/json/read.ts";
import { emptyRecent, getRecent, putRecent } from "../../log/fold/keyed.ts";
import type { ToolClass } from "./tool-class.ts";
import { WholeTexts } from "./whole-texts.ts";

export interface ToolCall {
	readonly tool: string;
	readonly class: ToolClass;
	readonly input: JsonObject;
}

const MAX_CALLS = 2_000;

export class Calls {
	/** What they have shown and written. */
	readonly texts = new WholeTexts();
	/** `outline`: the call's short form, until its first result. */
	readonly #calls = emptyRecent<{ readonly call: ToolCall; readonly outline: JsonObject | undefined }>();

	/** A call id used again names the newer call from now on. */
	open(id: string, call: ToolCall, outline: unknown): void {
		putRecent(this.#calls, id, { call, outline: asObject(outline) ?? {} }, MAX_CALLS);
	}

	get(id: string): ToolCall | undefined {
		return getRecent(this.#calls, id)?.call;
	}

	/** The call has its result: its long texts are not needed any more. */
	dropLongInput(id: string): void {
		const { call, outline } = getRecent(this.#calls, id) ?? {};
		if (call && outline)
			putRecent(this.#calls, id, { call: { ...call, input: outline }, outline: undefined }, MAX_CALLS);
	}
}
