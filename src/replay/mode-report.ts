/** Measures the requests of a row: what they cost, what they contained, and whether a provider would accept them. */
import { CACHE_TTL_MS, costUnits, dollarsOf, type Prices } from "../base/tokens/prices.ts";
import type { EnvelopeMessage } from "../context/envelope/envelope.ts";
import type { Violation } from "../message/validity.ts";
import { NOTE_TOKENS } from "../state/memory/seal-note.ts";
import type { FailedEditResults } from "./failed-edit-results.ts";
import { measureMessage, sumTokens } from "./host-facts.ts";
import type { ReplayedRequest } from "./requests.ts";
import {
	countSupport,
	type Demand,
	emptyCount,
	holdsLines,
	SearchableText,
	type SupportCount,
	shareOf,
} from "./support.ts";

interface RequestReport {
	readonly index: number;
	readonly tokens: number;
	readonly units: number;
	/** The price of the recorded answer, in the same units. */
	readonly outputUnits: number;
	/** Tokens that the provider would have read from its cache. */
	readonly read: number;
	/** Why bytes that were already sent changed; null: unexplained. Absent: none changed. */
	readonly broke?: string | null;
}

interface InvalidRequest {
	readonly index: number;
	readonly violations: readonly Violation[];
}

export interface ModeReport {
	readonly requests: number;
	readonly meanTokens: number;
	readonly maxTokens: number;
	/** Of the prompts, in tokens of plain input. The answers are the same in all rows. */
	readonly costUnits: number;
	/** The same with only 3,000 tokens of system prompt and tools: the part that an engine can influence. */
	readonly costUnits3k: number;
	/** `costUnits3k`, plus three reads for every edit whose old text was missing. */
	readonly healedUnits3k: number;
	/** The price of the recorded answers, in the same units. */
	readonly outputUnits: number;
	/** Prompts and answers. */
	readonly costDollars: number;
	readonly hitShare: number;
	readonly prefixBreaks: number;
	readonly unexplainedBreaks: number;
	/** How often each cause broke the prefix. */
	readonly causes: Readonly<Record<string, number>>;
	readonly seals: number;
	/** A note by the session's own model at every seal: a cached read of the context, and the note as output. Not part of the costs. */
	readonly noteUnits: number;
	/** null: nothing to look for. */
	readonly editSupport: number | null;
	readonly pathSupport: number | null;
	readonly termSupport: number | null;
	/** Edits whose old text was in the context or would be in the result of the failed edit; null: not measured. */
	readonly editsAtHand: number | null;
	/** Edits all of whose old lines were in the context, in one piece or not. */
	readonly editLines: number | null;
	/** Of the edits whose old text the host's own history held; null: the host was not replayed. */
	readonly editsOfHost: number | null;
	/** The counts behind the shares. */
	readonly support: SupportCount & {
		readonly atHand: readonly [held: number, of: number];
		readonly lines: readonly [held: number, of: number];
		readonly ofHost: readonly [held: number, of: number];
	};
	/** Requests whose bytes differ from the hashes in the log. */
	readonly unproven: number;
	readonly invalid: number;
	/** The first few, with their violations. */
	readonly invalidRequests: readonly InvalidRequest[];
	/** Tokens that summariser models wrote. */
	readonly summariserTokens: number;
	readonly perRequest: readonly RequestReport[];
}

interface MeasureOptions extends MeterOptions {
	/** The texts that each call relies on; without them support is not counted. */
	readonly demands?: readonly Demand[] | undefined;
	/** Decides whether the result of a failed edit would show its text. */
	readonly failing?: FailedEditResults | undefined;
	/** Takes for each edit, in the order of the calls, whether its old text was held. */
	readonly held?: boolean[] | undefined;
}

/** The parts of a request that are measured. */
export type MeasuredRequest = Pick<
	ReplayedRequest,
	| "call"
	| "envelope"
	| "segments"
	| "violations"
	| "summariserTokens"
	| "isSealed"
	| "isAsSent"
	| "reason"
	| "addedTokens"
>;

/** The system prompt and tools of an agent that has little of both. */
const SMALL_FIXED_TOKENS = 3_000;
/** An edit without its text needs one more read: a request, the lines, the call. The disturbance is charged as two more reads. */
const HEALED_READ_TOKENS = 1_500;
const HEALED_OUTPUT_TOKENS = 100;
const HEALED_TIMES = 3;
const MAX_INVALID_SHOWN = 5;

export async function measureRequests<Request extends MeasuredRequest>(
	requests: AsyncIterable<Request>,
	options: MeasureOptions & {
		readonly onRequest?: ((request: Request, tokens: number) => void) | undefined;
	},
): Promise<ModeReport> {
	const sums = new RequestSums(options);
	for await (const request of requests) {
		const tokens = sums.add(request);
		options.onRequest?.(request, tokens);
	}
	return sums.report();
}

const noEdits = (): [held: number, of: number] => [0, 0];

class RequestSums {
	readonly #options: MeasureOptions;
	readonly #meter: CostMeter;
	readonly #smallMeter: CostMeter;
	readonly #support = { ...emptyCount(), atHand: noEdits(), lines: noEdits() };
	readonly #perRequest: RequestReport[] = [];
	readonly #invalid: InvalidRequest[] = [];
	#costUnits = 0;
	#costUnits3k = 0;
	#outputUnits = 0;
	#healingUnits3k = 0;
	#summariserTokens = 0;
	#readTokens = 0;
	#seals = 0;
	#noteUnits = 0;
	#unproven = 0;

	constructor(options: MeasureOptions) {
		this.#options = options;
		this.#meter = new CostMeter(options);
		this.#smallMeter = new CostMeter({ ...options, fixedTokens: SMALL_FIXED_TOKENS });
	}

	/** Returns the tokens of the request. */
	add(request: MeasuredRequest): number {
		const { envelope, call, violations, summariserTokens } = request;
		const { index, answer, isJump } = call;
		const messages = [...envelope.messages.cached, ...envelope.messages.uncached];
		const plain = sumTokens(envelope.messages.uncached);
		const metered = { cached: piecesOf(request), plain, ts: answer.ts, summariserTokens };
		const cost = this.#meter.request(metered);
		const small = this.#smallMeter.request(metered);
		this.#healingUnits3k += this.#countMissedEdits(request, messages) * HEALED_TIMES * this.#extraReadUnits(small);
		this.#costUnits += cost.units;
		this.#costUnits3k += small.units;
		const output = costUnits({ output: answer.usage?.output }, this.#options.prices, cost.tokens);
		this.#outputUnits += output;
		this.#summariserTokens += summariserTokens;
		this.#readTokens += cost.read;
		if (request.isSealed) {
			this.#seals++;
			const read = this.#perRequest.at(-1)?.tokens ?? 0;
			this.#noteUnits += costUnits({ read, output: NOTE_TOKENS }, this.#options.prices, read);
		}
		if (!request.isAsSent) this.#unproven++;
		// A file that begins with an answer lacks its prompt.
		if (violations.length > 0 && messages.length > 0) this.#invalid.push({ index, violations });
		const tokens = Math.round(cost.tokens);
		const units = Math.round(cost.units);
		const broke = cost.broke ? { broke: request.reason ?? (isJump ? "another branch" : null) } : {};
		const read = Math.round(cost.read);
		this.#perRequest.push({ index, tokens, units, outputUnits: Math.round(output), read, ...broke });
		return tokens;
	}

	report(): ModeReport {
		const requests = this.#perRequest.length;
		const tokens = this.#perRequest.reduce((sum, request) => sum + request.tokens, 0);
		const breaks = this.#perRequest.flatMap(({ broke }) => (broke === undefined ? [] : [broke]));
		const support = this.#support;
		return {
			requests,
			meanTokens: Math.round(tokens / Math.max(1, requests)),
			maxTokens: this.#perRequest.reduce((max, request) => Math.max(max, request.tokens), 0),
			costUnits: Math.round(this.#costUnits),
			costUnits3k: Math.round(this.#costUnits3k),
			healedUnits3k: Math.round(this.#costUnits3k + this.#healingUnits3k),
			outputUnits: Math.round(this.#outputUnits),
			costDollars: dollarsOf(this.#costUnits + this.#outputUnits, this.#options.prices),
			hitShare: tokens === 0 ? 0 : this.#readTokens / tokens,
			prefixBreaks: breaks.length,
			unexplainedBreaks: breaks.filter((cause) => cause === null).length,
			causes: countCauses(breaks),
			seals: this.#seals,
			noteUnits: Math.round(this.#noteUnits),
			unproven: this.#unproven,
			editSupport: shareOf(support.edits),
			pathSupport: shareOf(support.paths),
			termSupport: shareOf(support.terms),
			editsAtHand: shareOf(support.atHand),
			editLines: shareOf(support.lines),
			editsOfHost: null,
			support: { ...support, ofHost: [0, 0] },
			invalid: this.#invalid.length,
			invalidRequests: this.#invalid.slice(0, MAX_INVALID_SHOWN),
			summariserTokens: this.#summariserTokens,
			perRequest: this.#perRequest,
		};
	}

	/** Counts the support of the request; returns how many of its edits lack their old text. */
	#countMissedEdits({ call }: MeasuredRequest, messages: readonly EnvelopeMessage[]): number {
		const { demands, failing } = this.#options;
		const demand = demands?.[call.index];
		if (!demand) return 0;
		const texts = messages.map(searchable);
		const missed = countSupport(this.#support, demand, texts);
		const inLines = missed.filter(({ text }) => holdsLines(text, texts));
		this.#support.lines[0] += demand.edits.length - missed.length + inLines.length;
		this.#support.lines[1] += demand.edits.length;
		for (const edit of demand.edits) this.#options.held?.push(!missed.includes(edit));
		if (failing) {
			const shown = missed.filter((edit) => failing.holds(call, edit));
			this.#support.atHand[0] += demand.edits.length - missed.length + shown.length;
			this.#support.atHand[1] += demand.edits.length;
		}
		return missed.length;
	}

	/** The cost of one more read at this size of the context. */
	#extraReadUnits({ tokens }: RequestCost): number {
		const written = { write: HEALED_READ_TOKENS, writeLong: longPart(HEALED_READ_TOKENS, this.#options) };
		return costUnits({ read: tokens, ...written, output: HEALED_OUTPUT_TOKENS }, this.#options.prices, tokens);
	}
}

/** The report with the edits counted that the host held too. Both lists have an entry for each edit. */
export function besideHost(report: ModeReport, held: readonly boolean[], byHost: readonly boolean[]): ModeReport {
	const of = byHost.filter(Boolean).length;
	const ofHost = [byHost.filter((isHosts, at) => isHosts && held[at]).length, of] as const;
	return { ...report, editsOfHost: shareOf([...ofHost]), support: { ...report.support, ofHost } };
}

/** The messages that a provider may cache, with the hash of their bytes and the tokens of the ruler. */
function piecesOf({ segments, envelope, addedTokens = 0 }: MeasuredRequest): CachedPiece[] {
	const items = segments.flatMap(({ name, items }) => (name === "uncached" ? [] : items));
	// These tokens are already counted as system prompt and tools.
	let added = addedTokens;
	return items.flatMap(({ hash }, at) => {
		const message = envelope.messages.cached[at];
		if (!message) return [];
		const { tokens } = measureMessage(message);
		const rest = Math.max(0, tokens - added);
		added -= tokens - rest;
		return [{ hash, tokens: rest }];
	});
}

const searchables = new WeakMap<EnvelopeMessage, SearchableText>();

function searchable(message: EnvelopeMessage): SearchableText {
	const known = searchables.get(message);
	if (known) return known;
	const text = new SearchableText(measureMessage(message).text);
	searchables.set(message, text);
	return text;
}

function countCauses(breaks: readonly (string | null)[]): Record<string, number> {
	const causes: Record<string, number> = {};
	for (const each of breaks) {
		const cause = each ?? "unexplained";
		causes[cause] = (causes[cause] ?? 0) + 1;
	}
	return causes;
}

interface MeterOptions {
	readonly prices: Prices;
	/** Tokens of the system prompt and the tools, which never change. */
	readonly fixedTokens: number;
	/** How long the provider caches a request, in ms. */
	readonly cacheLifetime: number;
}

/** A message as a cache sees it. */
interface CachedPiece {
	readonly hash: string;
	readonly tokens: number;
}

interface MeteredRequest {
	/** The messages that a provider may cache, in order. */
	readonly cached: readonly CachedPiece[];
	/** Tokens that are only for this request. */
	readonly plain: number;
	readonly ts: number;
	/** Tokens that a summariser wrote before it; 0: none ran. */
	readonly summariserTokens: number;
}

interface RequestCost {
	readonly tokens: number;
	readonly read: number;
	readonly written: number;
	/** Includes the summariser that ran before it. */
	readonly units: number;
	/** The cache had expired, or was empty. */
	readonly cold: boolean;
	/** A message of the request before has changed or is gone. Messages for one request only do not count. */
	readonly broke: boolean;
}

/** The part of a write that the provider keeps for an hour: all of it, where the recording's cache lives that long. */
function longPart(written: number, { cacheLifetime }: MeterOptions): number {
	return cacheLifetime > CACHE_TTL_MS ? written : 0;
}

/**
 * The cost of a request in units of one plain input token. The messages that equal those of the request before, from the
 * start, are read from the provider's cache while it is warm; the rest is written. A cold cache is written whole.
 */
export class CostMeter {
	readonly #options: MeterOptions;
	#last: readonly CachedPiece[] = [];
	#lastTs: number | undefined;
	#lastTokens = 0;

	constructor(options: MeterOptions) {
		this.#options = options;
	}

	request({ cached, plain, ts, summariserTokens }: MeteredRequest): RequestCost {
		const { prices, fixedTokens, cacheLifetime } = this.#options;
		const cold = this.#lastTs === undefined || ts - this.#lastTs > cacheLifetime;
		const changed = cached.findIndex(({ hash }, at) => hash !== this.#last[at]?.hash);
		const same = changed < 0 ? cached.length : changed;
		let read = cold ? 0 : fixedTokens;
		let written = cold ? fixedTokens : 0;
		for (const [index, { tokens }] of cached.entries()) {
			if (!cold && index < same) read += tokens;
			else written += tokens;
		}
		const broke = same < this.#last.length;
		// A summariser reads what the request before it had put into the cache.
		const summary = summariserTokens > 0 ? costUnits({ read: this.#lastTokens, output: summariserTokens }, prices) : 0;
		const tokens = read + written + plain;
		this.#last = cached;
		this.#lastTs = ts;
		this.#lastTokens = tokens;
		const writeLong = longPart(written, this.#options);
		const units = costUnits({ read, write: written, writeLong, input: plain }, prices) + summary;
		return { tokens, read, written, units, cold, broke };
	}
}
