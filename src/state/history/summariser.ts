import type { EventRecord } from "../../log/event/types.ts";

/** What is summarised. */
export interface SummarySource {
	/** Of the node that will be: 0 from messages, else from nodes. */
	readonly depth: number;
	/** Of the messages, or of the nodes' texts. */
	readonly tokens: number;
	/** The messages of the stretch, at whatever depth, with the events derived from them, in the order of the log. */
	records(): Iterable<EventRecord>;
}

export interface SummaryRequest {
	/** Everything a model needs: what to do, and the source, fenced and with secrets masked. */
	readonly prompt: string;
	readonly source: SummarySource;
	readonly maxTokens: number;
	readonly signal?: AbortSignal | undefined;
}

export interface SummaryAnswer {
	readonly text: string;
	/** In one line; by default the beginning of the text. */
	readonly topic?: string | undefined;
	/** As the provider reported it. */
	readonly usage?: unknown;
}

/** Whoever can summarise. Hosts give their models; a failure is a rejection, whose message is recorded. */
export interface Summariser {
	/** `provider/id`. */
	readonly name: string;
	summarise(request: SummaryRequest): Promise<SummaryAnswer>;
}
