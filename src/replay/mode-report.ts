/** Measures the requests of a row: what they cost, what they contained, and whether a provider would accept them. */

import { dollarsOf } from "../base/tokens/prices.ts";
import type { ContextEnvelope, EnvelopeMessage } from "../context/envelope/envelope.ts";
import type { Violation } from "../message/validity.ts";
import { type CachedPiece, CostMeter, type MeterOptions, OUTPUT_PRICE } from "./cost-meter.ts";
import type { FailedEditResults } from "./failed-edit-results.ts";
import type { ReplayedRequest } from "./requests.ts";
import { measureMessage } from "./ruler.ts";
import { countSupport, type Demand, emptyCount, SearchableText, type SupportCount, shareOf } from "./support.ts";

export interface RequestReport {
	readonly index: number;
	readonly tokens: number;
	readonly units: number;
	/** Tokens that the provider would have read from its cache. */
	readonly read: number;
	/** Why bytes that were already sent changed; null: unexplained. Absent: none changed. */
	readonly broke?: string | null;
}

export interface InvalidRequest {
	readonly index: number;
	readonly violations: readonly Violation[];
}

export interface ModeReport {
	readonly requests: number;
	readonly meanTokens: number;
	readonly maxTokens: number;
	readonly costUnits: number;
	/** The same with only 3,000 tokens of system prompt and tools: the part that an engine can influence. */
	readonly costUnits3k: number;
	/** `costUnits3k`, plus three reads for every edit whose old text was missing. */
	readonly healedUnits3k: number;
	readonly costDollars: number;
	readonly hitShare: number;
	readonly prefixBreaks: number;
	readonly unexplainedBreaks: number;
	/** How often each cause broke the prefix. */
	readonly causes: Readonly<Record<string, number>>;
	readonly seals: number;
	/** null: nothing to look for. */
	readonly editSupport: number | null;
	readonly pathSupport: number | null;
	readonly termSupport: number | null;
	/** Edits whose old text was in the context or would be in the result of the failed edit; null: not measured. */
	readonly editsAtHand: number | null;
	/** The counts behind the shares. */
	readonly support: SupportCount & { readonly atHand: readonly [held: number, of: number] };
	/** Requests whose bytes differ from the hashes in the log. */
	readonly unproven: number;
	readonly invalid: number;
	/** The first few, with their violations. */
	readonly invalidRequests: readonly InvalidRequest[];
	/** Tokens that summariser models wrote. */
	readonly summariserTokens: number;
	readonly perRequest: readonly RequestReport[];
}

export interface MeasureOptions extends MeterOptions {
	/** What each call relies on; without it support is not counted. */
	readonly demands?: readonly Demand[] | undefined;
	/** What the result of a failed edit would show. */
	readonly failing?: FailedEditResults | undefined;
	readonly onRequest?: ((request: ReplayedRequest, tokens: number) => void) | undefined;
}

/** The system prompt and tools of an agent that has little of both. */
const SMALL_FIXED_TOKENS = 3_000;
/** An edit without its text needs one more read: a request, the lines, the call. The disturbance is charged as two more reads. */
const HEALED_READ_TOKENS = 1_500;
const HEALED_OUTPUT_TOKENS = 100;
const HEALED_TIMES = 3;
const MAX_INVALID_SHOWN = 5;

export async function measureRequests(
	requests: AsyncIterable<ReplayedRequest>,
	options: MeasureOptions,
): Promise<ModeReport> {
	const { prices, demands, failing, onRequest } = options;
	const meter = new CostMeter(options);
	const smallMeter = new CostMeter({ ...options, fixedTokens: SMALL_FIXED_TOKENS });
	const support = { ...emptyCount(), atHand: [0, 0] as [number, number] };
	const perRequest: RequestReport[] = [];
	const invalid: InvalidRequest[] = [];
	let [costUnits, costUnits3k, healing] = [0, 0, 0];
	let [summariserTokens, read, seals, unproven] = [0, 0, 0, 0];
	for await (const request of requests) {
		const { index, answer, isJump } = request.call;
		const messages = allMessages(request.envelope);
		const metered = {
			cached: piecesOf(request),
			plain: request.envelope.messages.uncached.reduce((sum, message) => sum + measureMessage(message).tokens, 0),
			ts: answer.ts,
			summariserTokens: request.summariserTokens,
		};
		const cost = meter.request(metered);
		const small = smallMeter.request(metered);
		const demand = demands?.[index];
		const missed = demand ? countSupport(support, demand, messages.map(searchable)) : [];
		if (failing && demand) {
			const shown = missed.filter((edit) => failing.holds(request.call, edit));
			support.atHand[0] += demand.edits.length - missed.length + shown.length;
			support.atHand[1] += demand.edits.length;
		}
		const heal = prices.read * small.tokens + prices.write * HEALED_READ_TOKENS + OUTPUT_PRICE * HEALED_OUTPUT_TOKENS;
		healing += missed.length * HEALED_TIMES * heal;
		costUnits += cost.units;
		costUnits3k += small.units;
		// A file that begins with an answer lacks its prompt.
		if (request.violations.length > 0 && messages.length > 0) invalid.push({ index, violations: request.violations });
		summariserTokens += request.summariserTokens;
		read += cost.read;
		if (request.isSealed) seals++;
		if (!request.isProven) unproven++;
		const tokens = Math.round(cost.tokens);
		onRequest?.(request, tokens);
		const cause = request.reason ?? (isJump ? "another branch" : null);
		const units = Math.round(cost.units);
		perRequest.push({ index, tokens, units, read: Math.round(cost.read), ...(cost.broke ? { broke: cause } : {}) });
	}
	const tokens = perRequest.reduce((sum, request) => sum + request.tokens, 0);
	const breaks = perRequest.flatMap(({ broke }) => (broke === undefined ? [] : [broke]));
	return {
		requests: perRequest.length,
		meanTokens: Math.round(tokens / Math.max(1, perRequest.length)),
		maxTokens: perRequest.reduce((max, request) => Math.max(max, request.tokens), 0),
		costUnits: Math.round(costUnits),
		costUnits3k: Math.round(costUnits3k),
		healedUnits3k: Math.round(costUnits3k + healing),
		costDollars: dollarsOf(costUnits, prices),
		hitShare: tokens === 0 ? 0 : read / tokens,
		prefixBreaks: breaks.length,
		unexplainedBreaks: breaks.filter((cause) => cause === null).length,
		causes: countCauses(breaks),
		seals,
		unproven,
		editSupport: shareOf(support.edits),
		pathSupport: shareOf(support.paths),
		termSupport: shareOf(support.terms),
		editsAtHand: shareOf(support.atHand),
		support,
		invalid: invalid.length,
		invalidRequests: invalid.slice(0, MAX_INVALID_SHOWN),
		summariserTokens,
		perRequest,
	};
}

function allMessages({ messages }: ContextEnvelope): readonly EnvelopeMessage[] {
	return [...messages.cached, ...messages.uncached];
}

/** The messages that a provider may cache, with the hash of their bytes and the tokens of the ruler. */
function piecesOf({ segments, envelope, addedTokens = 0 }: ReplayedRequest): CachedPiece[] {
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
