/** What the wire says: extension of the request before, seals, what was paid; and the table for the docs. */
import { isCarrier, textOf, type WireMessage, type WireRequest } from "./model.ts";

/** Cached tokens are paid at a tenth. */
const CACHED_PRICE = 0.1;

export interface Measured {
	readonly requests: number;
	readonly refused: number;
	/** Tokens with cached ones at a tenth, those of summaries among them. */
	readonly paid: number;
	readonly cachedShare: number;
	readonly largest: number;
	/** Requests that do not extend the one before them, and of these the ones that a seal explains. */
	readonly breaks: number;
	readonly seals: number;
	/** Facts of the files that the last request still holds. */
	readonly facts: number;
}

export function measure(requests: readonly WireRequest[], aux: readonly WireRequest[] = []): Measured {
	let breaks = 0;
	let seals = 0;
	for (const [at, next] of requests.entries()) {
		const last = requests[at - 1];
		if (!last) continue;
		const [before, now] = [bodyOf(last), bodyOf(next)];
		const isExtended = before.every((message, index) => message === now[index]);
		if (isExtended) continue;
		breaks++;
		if (before[1] !== now[1]) seals++;
	}
	const tokens = sum(requests, (request) => request.tokens);
	const cached = sum(requests, (request) => request.cached);
	const all = [...requests, ...aux];
	const paid = sum(all, (request) => request.tokens - request.cached * (1 - CACHED_PRICE));
	const last = JSON.stringify(requests.at(-1)?.messages ?? []);
	return {
		requests: requests.length,
		refused: requests.filter(({ kind }) => kind === "refused").length,
		paid: Math.round(paid),
		cachedShare: cached / Math.max(1, tokens),
		largest: Math.max(0, ...requests.map((request) => request.tokens)),
		breaks,
		seals,
		facts: new Set(last.match(/FACT-[a-f]-\d+: [a-z0-9-]+/g)).size,
	};
}

/** Without the message that the host moves to the end of every request. */
function bodyOf({ messages }: WireRequest): string[] {
	return messages.filter((message) => !isCarrier(message)).map((message) => JSON.stringify(message));
}

/** Everything that a request says, the host's own last message aside. */
export function wordsOf({ messages }: WireRequest): string {
	return messages
		.filter((message: WireMessage) => !isCarrier(message))
		.map(({ content }) => textOf(content))
		.join("\n");
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
	return items.reduce((total, item) => total + of(item), 0);
}

export interface Row extends Measured {
	readonly engine: string;
	readonly where: string;
	/** Median ms that the engine adds to a request; undefined: nothing is added. */
	readonly addedMs?: number | undefined;
	readonly diskBytes?: number | undefined;
}

export function table(rows: readonly Row[]): string {
	const head =
		"| engine, window and tools | requests | paid tokens | cached | largest | facts in view | added ms | disk |";
	const line = "|---|---|---|---|---|---|---|---|";
	const cells = rows.map((row) => {
		const paid = `${Math.round(row.paid / 1_000)}k`;
		const cached = `${Math.round(row.cachedShare * 100)} %`;
		const largest = `${Math.round(row.largest / 1_000)}k`;
		const disk = row.diskBytes === undefined ? "–" : `${(row.diskBytes / 1_000_000).toFixed(1)} MB`;
		const added = row.addedMs === undefined ? "–" : row.addedMs.toFixed(1);
		return `| ${row.engine}, ${row.where} | ${row.requests} | ${paid} | ${cached} | ${largest} | ${row.facts} | ${added} | ${disk} |`;
	});
	return [head, line, ...cells].join("\n");
}
