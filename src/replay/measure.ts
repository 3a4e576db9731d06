/** What the requests of a row cost, what they held, and whether a provider takes them. */

import type { EnvelopeMessage } from "../context/envelope/envelope.ts";
import type { Violation } from "../message/validity.ts";
import { guessForm, readWire, shownText } from "../message/view.ts";
import { dollarsOf, type Prices } from "../tokens/prices.ts";
import { CostMeter } from "./meter.ts";
import type { ReplayedRequest } from "./requests.ts";
import { countSupport, type Demand, emptyCount, type SupportCount, shareOf } from "./support.ts";

export interface RequestReport {
	readonly index: number;
	readonly tokens: number;
	readonly units: number;
	/** Tokens that the provider's cache would have held. */
	readonly read: number;
	/** Why bytes that had been sent before changed; null: nothing says why. Left out: none did. */
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
	readonly costDollars: number;
	readonly hitShare: number;
	readonly prefixBreaks: number;
	readonly unexplainedBreaks: number;
	/** How often, by their causes. */
	readonly causes: Readonly<Record<string, number>>;
	readonly seals: number;
	readonly editSupport: number;
	readonly pathSupport: number;
	readonly termSupport: number;
	/** Held and looked for, from which the shares come. */
	readonly support: SupportCount;
	/** Requests whose bytes are not those that were sent: an older version did not write down all that it sent. */
	readonly unproven: number;
	readonly invalid: number;
	/** The first few, with what is wrong. */
	readonly invalidRequests: readonly InvalidRequest[];
	/** Tokens that summariser models read, counted in the cost as plain input. */
	readonly summarisedTokens: number;
	readonly perRequest: readonly RequestReport[];
}

export interface MeasureOptions {
	readonly prices: Prices;
	/** Tokens of the system prompt and the tools. */
	readonly fixedTokens: number;
	/** What each call relies on; left out: support is not counted. */
	readonly demands?: readonly Demand[] | undefined;
	readonly onRequest?: ((request: ReplayedRequest, tokens: number) => void) | undefined;
}

const MOST_INVALID_SHOWN = 5;

export async function measure(requests: AsyncIterable<ReplayedRequest>, options: MeasureOptions): Promise<ModeReport> {
	const { prices, fixedTokens, demands, onRequest } = options;
	const meter = new CostMeter(prices, fixedTokens);
	const support = emptyCount();
	const perRequest: RequestReport[] = [];
	const invalid: InvalidRequest[] = [];
	let [summarised, read, seals, unproven] = [0, 0, 0, 0];
	for await (const request of requests) {
		const { index, answer, isJump } = request.call;
		const messages = [...request.envelope.messages.cached, ...request.envelope.messages.uncached];
		const cost = meter.request(request.segments, answer.ts);
		const demand = demands?.[index];
		if (demand) countSupport(support, demand, (wanted) => holds(messages, wanted));
		// A file that begins with an answer does not say what was asked.
		if (request.violations.length > 0 && messages.length > 0) invalid.push({ index, violations: request.violations });
		summarised += request.summarised;
		read += cost.read;
		if (request.isSealed) seals++;
		if (!request.isProven) unproven++;
		onRequest?.(request, cost.tokens);
		const cause = request.reason ?? (isJump ? "another branch" : null);
		const { tokens, units } = cost;
		perRequest.push({ index, tokens, units, read: cost.read, ...(cost.broke ? { broke: cause } : {}) });
	}
	const tokens = perRequest.reduce((sum, request) => sum + request.tokens, 0);
	const costUnits = perRequest.reduce((sum, request) => sum + request.units, summarised);
	const breaks = perRequest.flatMap(({ broke }) => (broke === undefined ? [] : [broke]));
	return {
		requests: perRequest.length,
		meanTokens: Math.round(tokens / Math.max(1, perRequest.length)),
		maxTokens: perRequest.reduce((most, request) => Math.max(most, request.tokens), 0),
		costUnits: Math.round(costUnits),
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
		support,
		invalid: invalid.length,
		invalidRequests: invalid.slice(0, MOST_INVALID_SHOWN),
		summarisedTokens: summarised,
		perRequest,
	};
}

const texts = new WeakMap<EnvelopeMessage, string>();

/** A text counts as held when one message holds it whole; the newest are looked at first. */
function holds(messages: readonly EnvelopeMessage[], wanted: string): boolean {
	return (
		messages.findLast((message) => {
			const text = texts.get(message) ?? shownText(readWire(message, guessForm(message)));
			texts.set(message, text);
			return text.includes(wanted);
		}) !== undefined
	);
}

function countCauses(breaks: readonly (string | null)[]): Record<string, number> {
	const causes: Record<string, number> = {};
	for (const cause of breaks) causes[cause ?? "unexplained"] = (causes[cause ?? "unexplained"] ?? 0) + 1;
	return causes;
}
