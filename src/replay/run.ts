/** Runs a recorded session, request by request, under one mode, and measures what would have gone out. */

import type { Violation } from "../message/validity.ts";
import { checkRequest } from "../message/validity.ts";
import type { Form } from "../message/view.ts";
import type { Prices } from "../tokens/prices.ts";
import { CostMeter } from "./cost.ts";
import { Walk } from "./path.ts";
import type { Mode, PlannedRequest } from "./planned.ts";
import type { RecordedCall } from "./recording.ts";
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
	/** Held and looked for, behind the shares. */
	readonly support: SupportCount;
	readonly invalid: number;
	/** The first few, with what is wrong. */
	readonly invalidRequests: readonly InvalidRequest[];
	/** Tokens that summariser models read, counted in the cost as plain input. */
	readonly summarisedTokens: number;
	readonly perRequest: readonly RequestReport[];
}

export interface RunOptions {
	readonly prices: Prices;
	/** Tokens of the system prompt and tools. */
	readonly fixed: number;
	readonly format: Form;
	/** What each call relies on; left out: support is not counted. */
	readonly demands?: readonly Demand[];
	/** False: validity is not looked at, where the same requests were checked before. */
	readonly check?: boolean;
	readonly onRequest?: (call: RecordedCall, request: PlannedRequest, tokens: number) => void;
}

const MOST_INVALID_SHOWN = 5;

export async function runMode(mode: Mode, calls: readonly RecordedCall[], options: RunOptions): Promise<ModeReport> {
	const meter = new CostMeter(options.prices, options.fixed);
	const walk = new Walk();
	const support = emptyCount();
	const perRequest: RequestReport[] = [];
	const invalid: InvalidRequest[] = [];
	let summarised = 0;
	let read = 0;
	for (const call of calls) {
		const path = walk.moveTo(call);
		const request = await mode.plan(call, path);
		const cost = meter.request(request.messages, call.answer.ts);
		const demand = options.demands?.[call.index];
		if (demand) countSupport(support, demand, holder(request));
		// A file that begins with an answer does not say what was asked.
		if (options.check !== false && request.messages.length > 0) {
			const messages = request.messages.map((message) => message.wire);
			const violations = checkRequest(messages, options.format);
			if (violations.length > 0) invalid.push({ index: call.index, violations });
		}
		summarised += request.summarised ?? 0;
		read += cost.read;
		options.onRequest?.(call, request, cost.tokens);
		const cause = request.reason ?? (path.jumped ? "another branch" : null);
		const { tokens, units } = cost;
		perRequest.push({ index: call.index, tokens, units, read: cost.read, ...(cost.broke ? { broke: cause } : {}) });
	}
	const tokens = perRequest.reduce((sum, request) => sum + request.tokens, 0);
	const costUnits = perRequest.reduce((sum, request) => sum + request.units, summarised);
	const breaks = perRequest.flatMap(({ broke }) => (broke === undefined ? [] : [broke]));
	return {
		requests: perRequest.length,
		meanTokens: Math.round(tokens / Math.max(1, perRequest.length)),
		maxTokens: perRequest.reduce((most, request) => Math.max(most, request.tokens), 0),
		costUnits: Math.round(costUnits),
		costDollars: (costUnits * options.prices.input) / 1e6,
		hitShare: tokens === 0 ? 0 : read / tokens,
		prefixBreaks: breaks.length,
		unexplainedBreaks: breaks.filter((cause) => cause === null).length,
		causes: countCauses(breaks),
		seals: mode.seals,
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

/** A text counts as held when one message holds it whole; the newest are looked at first. */
function holder({ messages }: PlannedRequest): (text: string) => boolean {
	return (wanted) => messages.findLast(({ text }) => text.includes(wanted)) !== undefined;
}

function countCauses(breaks: readonly (string | null)[]): Record<string, number> {
	const causes: Record<string, number> = {};
	for (const cause of breaks) causes[cause ?? "unexplained"] = (causes[cause ?? "unexplained"] ?? 0) + 1;
	return causes;
}
