/** What the wire says: extension of the request before, seals, what was paid; and the table for the docs. */
import { isCarrier, textOf, type WireRequest } from "./model.ts";
import type { WireMessage } from "./protocol.ts";
import type { Call } from "./watch.ts";

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

/** By the clock, and of the gateway's thread. */
export interface Took {
	readonly ms: number;
	readonly cpuMs: number;
}

/** What the engine took of the user's time. */
export interface Spent {
	/** Median of a call before a request. */
	readonly request: Took;
	/** Median of all calls of a turn that somebody waits for. */
	readonly turn: Took;
	/** Most of a call in which a seal was made. */
	readonly seal: Took;
}

/** Of the calls of one session, in their order. */
export function spentIn(calls: readonly Call[]): Spent {
	const turns: Took[] = [];
	const requests: Took[] = [];
	const seals: Took[] = [];
	let turn: Took = { ms: 0, cpuMs: 0 };
	let seed: string | undefined;
	for (const { call, ms, cpuMs, seed: now } of calls) {
		if (call !== "maintain" && call !== "dispose") turn = { ms: turn.ms + ms, cpuMs: turn.cpuMs + cpuMs };
		if (call === "commitTurn") {
			turns.push(turn);
			turn = { ms: 0, cpuMs: 0 };
		}
		if (call !== "assemble") continue;
		(now === seed ? requests : seals).push({ ms, cpuMs });
		seed = now;
	}
	const most = (numbers: readonly number[]) => Math.max(0, ...numbers);
	return { request: each(requests, median), turn: each(turns, median), seal: each(seals, most) };
}

function each(of: readonly Took[], choose: (numbers: readonly number[]) => number): Took {
	return { ms: choose(of.map(({ ms }) => ms)), cpuMs: choose(of.map(({ cpuMs }) => cpuMs)) };
}

function median(numbers: readonly number[]): number {
	return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

export interface Row extends Measured, Partial<Spent> {
	readonly engine: string;
	readonly where: string;
	readonly diskBytes?: number | undefined;
}

const COLUMNS = [
	"engine, window and tools",
	"requests",
	"paid tokens",
	"cached",
	"largest",
	"seals",
	"facts in view",
	"ms a request",
	"ms a turn",
	"ms a seal",
	"disk",
] as const;

export function table(rows: readonly Row[]): string {
	const lines = rows.toSorted((one, other) => other.engine.localeCompare(one.engine)).map(cellsOf);
	return [COLUMNS, COLUMNS.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function cellsOf(row: Row): string[] {
	const thousands = (tokens: number) => `${Math.round(tokens / 1_000)}k`;
	const number = (value: number) => value.toFixed(value < 10 ? 1 : 0);
	const took = (spent: Took | undefined) => (spent ? `${number(spent.ms)} (${number(spent.cpuMs)})` : "–");
	return [
		`${row.engine}, ${row.where}`,
		String(row.requests),
		thousands(row.paid),
		`${Math.round(row.cachedShare * 100)} %`,
		thousands(row.largest),
		row.engine === "weft" ? String(row.seals) : "–",
		String(row.facts),
		took(row.request),
		took(row.turn),
		took(row.seal),
		row.diskBytes === undefined ? "–" : `${(row.diskBytes / 1_000_000).toFixed(1)} MB`,
	];
}
