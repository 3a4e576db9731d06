import type { EventRecord } from "../../log/event/types.ts";

/** The source of a summary. */
export interface SummarySource {
	/** Depth of the new node: 0 from messages, more from nodes. */
	readonly depth: number;
	/** Tokens of the messages, or of the nodes' texts. */
	readonly tokens: number;
	/** The messages of the stretch with the events derived from them, in the order of the log. The same at any depth. */
	records(): Iterable<EventRecord>;
}

export interface SummaryRequest {
	/** The task and the source, fenced and with secrets masked. */
	readonly prompt: string;
	readonly source: SummarySource;
	readonly maxTokens: number;
	readonly signal?: AbortSignal | undefined;
}

export interface SummaryAnswer {
	readonly text: string;
	/** One line; by default the beginning of the text. */
	readonly topic?: string | undefined;
	/** As the provider reported it. */
	readonly usage?: unknown;
}

/** Writes summaries. Agents lend their models. A rejection is a failure, and its message is recorded. */
export interface Summariser {
	/** `provider/id`. */
	readonly name: string;
	summarise(request: SummaryRequest): Promise<SummaryAnswer>;
}
