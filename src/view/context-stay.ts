/** Where a message was in the context, in words. Apart from the computation, because the inspector's page loads it. */

/** The requests that held a message, and what became of it. */
export interface ContextStay {
	/** The first request with it; null: none had it. */
	readonly first: number | null;
	/** The last one; null: the newest request of the session still has it. */
	readonly last: number | null;
	/** What has replaced it since then. */
	readonly coveredBy: {
		readonly by: "agent" | "weft" | "branch" | "nothing";
		/** The summary, or the compaction. */
		readonly handle: string | null;
	} | null;
	/** Requests in which it came back, oldest first. */
	readonly again: readonly {
		/** The request that asked for it. */
		readonly request: number;
		/** Of the message that asked. */
		readonly handle: string;
		readonly how: "fetched" | "read";
	}[];
}

const THEN: Readonly<Record<NonNullable<ContextStay["coveredBy"]>["by"], string>> = {
	agent: ", then in the agent's summary",
	weft: ", then in weft's summary",
	branch: ", then left behind with its branch",
	nothing: ", then left out",
};

/** `In context from request 3 to 50, then in the agent's summary, fetched again by request 61.` */
export function stayWords({ first, last, coveredBy, again }: ContextStay): string {
	if (first === null) return coveredBy ? "Only in the agent's summary." : "In no request: none came after it.";
	const [back] = again;
	const when =
		last === null
			? `since request ${first}`
			: last === first
				? `in request ${first}`
				: `from request ${first} to ${last}`;
	const told = last === null || !coveredBy ? "" : THEN[coveredBy.by];
	const returned = back ? `, ${back.how} again by request ${back.request}` : "";
	const more = again.length > 1 ? ` and ${again.length - 1} more` : "";
	return `In context ${when}${told}${returned}${more}.`;
}
