/**
 * The calls of a session, so that results can find theirs. A result follows its call closely: only the newest calls are
 * kept, and long arguments only until the first result, so that a session of any size fits into bounded memory.
 */

import { asObject, type JsonObject } from "../../base/json/read.ts";
import { emptyRecent, getRecent, putRecent } from "../../log/fold/keyed.ts";
import type { ToolClass } from "./tool-class.ts";
import { WholeTexts } from "./whole-texts.ts";

export interface SessionCall {
	readonly tool: string;
	readonly class: ToolClass;
	readonly input: JsonObject;
}

const MAX_CALLS = 2_000;

export class Calls {
	/** Files whose whole text the calls showed or wrote. */
	readonly texts = new WholeTexts();
	/** `outline`: the call's short form, until its first result. */
	readonly #calls = emptyRecent<{ readonly call: SessionCall; readonly outline: JsonObject | undefined }>();

	/** A call id that is used again names the newer call. */
	open(id: string, call: SessionCall, outline: unknown): void {
		putRecent(this.#calls, id, { call, outline: asObject(outline) ?? {} }, MAX_CALLS);
	}

	get(id: string): SessionCall | undefined {
		return getRecent(this.#calls, id)?.call;
	}

	/** Call this once the call has its result. */
	dropLongInput(id: string): void {
		const { call, outline } = getRecent(this.#calls, id) ?? {};
		if (call && outline)
			putRecent(this.#calls, id, { call: { ...call, input: outline }, outline: undefined }, MAX_CALLS);
	}
}
