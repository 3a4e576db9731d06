/**
 * The calls of a session, for the results that will name them. A result follows its call closely, so only the newest are
 * kept, and the long arguments of a call only until its first result: a session of any size is read in bounded memory.
 */
import { asObject, type JsonObject } from "../json/read.ts";
import type { ToolClass } from "./tool-class.ts";

export interface Call {
	readonly tool: string;
	readonly class: ToolClass;
	readonly input: JsonObject;
}

const MOST_CALLS = 2_000;

export class Calls {
	readonly #calls = new Map<string, Call>();
	readonly #outlines = new Map<string, JsonObject>();

	/** A call id used again names the newer call from now on. */
	open(id: string, call: Call, outline: unknown): void {
		this.#calls.delete(id);
		this.#calls.set(id, call);
		this.#outlines.set(id, asObject(outline) ?? {});
		if (this.#calls.size <= MOST_CALLS) return;
		const oldest = this.#calls.keys().next().value;
		if (oldest === undefined) return;
		this.#calls.delete(oldest);
		this.#outlines.delete(oldest);
	}

	get(id: string): Call | undefined {
		return this.#calls.get(id);
	}

	/** The call has its result: its long texts are not needed any more. */
	dropLongInput(id: string): void {
		const call = this.#calls.get(id);
		const outline = this.#outlines.get(id);
		if (!call || !outline) return;
		this.#calls.set(id, { ...call, input: outline });
		this.#outlines.delete(id);
	}
}
