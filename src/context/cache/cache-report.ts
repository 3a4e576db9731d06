/** The ledger in numbers: hit share, breaks, and what they cost at the models' prices. */
import { costUnits, dollarsOf, type Prices } from "../../base/tokens/prices.ts";
import type { CacheBreak, CacheTokens, LedgerState, SessionLedger } from "./ledger.ts";

export interface PricedBreak extends CacheBreak {
	/** In tokens of plain input. */
	readonly units: number;
	readonly dollars: number;
}

export interface CacheReport {
	readonly requests: number;
	readonly answered: number;
	readonly reported: CacheTokens;
	/** Share of the prompt that was read from the cache; null where no answer reported usage. */
	readonly hitShare: number | null;
	/** The share that the bytes predict; null where no request has a manifest. */
	readonly predictedShare: number | null;
	readonly changed: number;
	readonly missed: number;
	readonly unexplained: number;
	readonly lostTokens: number;
	readonly lostUnits: number;
	readonly lostDollars: number;
	/** What seals below a step of the price saved at the request after each. */
	readonly stepSavedUnits: number;
	readonly stepSavedDollars: number;
	/** The price of at least one model is a guess. */
	readonly assumed: boolean;
	/** Newest first, those still in the ledger. */
	readonly breaks: readonly PricedBreak[];
}

/** `pricesOf`: of a model, at a moment where one is given. */
export function reportCache(
	state: LedgerState,
	pricesOf: (model: string | undefined, at?: number) => Prices,
	options: { readonly session?: string | undefined } = {},
): CacheReport {
	const all = Object.values(state.sessions);
	const ledgers = options.session === undefined ? all : all.filter(({ session }) => session === options.session);
	const total = (pick: (ledger: SessionLedger) => number): number => ledgers.reduce((sum, each) => sum + pick(each), 0);
	const tokens = (of: "reported" | "predicted"): CacheTokens => ({
		read: total((ledger) => ledger[of].read),
		write: total((ledger) => ledger[of].write),
		input: total((ledger) => ledger[of].input),
	});
	const reported = tokens("reported");
	const lost = ledgers.flatMap((ledger) =>
		Object.entries(ledger.lost).map(([model, count]) => ({
			model: model || undefined,
			count,
			isLong: keepsForAnHour(ledger),
		})),
	);
	const stepSaved = ledgers.flatMap((ledger) => Object.entries(ledger.stepSaved));
	const breaks = ledgers
		.flatMap((ledger) => ledger.breaks)
		.sort((a, b) => b.seq - a.seq)
		.map((each) => ({ ...each, ...priceBreak(each.tokens, pricesOf(each.model ?? undefined, each.ts), each) }));
	// Each break at the price of its day; those that the ledger no longer holds at the model's newest.
	const held = (name: string | undefined) =>
		breaks.reduce((sum, each) => sum + ((each.model || undefined) === name ? each.tokens : 0), 0);
	const rest = [...Map.groupBy(lost, ({ model }) => model)].map(([model, counts]) => {
		const tokens = counts.reduce((sum, { count }) => sum + count, 0) - held(model);
		return priceBreak(tokens, pricesOf(model), { isLong: counts.some(({ isLong }) => isLong) });
	});
	const prices = [...breaks, ...rest];
	return {
		requests: total((ledger) => ledger.requests),
		answered: total((ledger) => ledger.answered),
		reported,
		hitShare: shareOf(reported),
		predictedShare: shareOf(tokens("predicted")),
		changed: total((ledger) => ledger.changed),
		missed: total((ledger) => ledger.missed),
		unexplained: total((ledger) => ledger.unexplained),
		lostTokens: lost.reduce((sum, { count }) => sum + count, 0),
		lostUnits: prices.reduce((sum, { units }) => sum + units, 0),
		lostDollars: prices.reduce((sum, { dollars }) => sum + dollars, 0),
		stepSavedUnits: stepSaved.reduce((sum, [, units]) => sum + units, 0),
		stepSavedDollars: stepSaved.reduce(
			(sum, [model, units]) => sum + dollarsOf(units, pricesOf(model === "" ? undefined : model)),
			0,
		),
		assumed: lost.some(({ model }) => pricesOf(model).assumed === true),
		breaks,
	};
}

/** True: the session pays to be kept for an hour. */
function keepsForAnHour({ answer }: SessionLedger): boolean {
	return answer?.isLong ?? false;
}

/** The extra cost of writing tokens again that could have been read from the cache. `isLong`: to keep them for an hour. */
export function priceBreak(
	tokens: number,
	prices: Prices,
	{ isLong = false }: { readonly isLong?: boolean | undefined },
): Pick<PricedBreak, "units" | "dollars"> {
	const written = costUnits({ write: tokens, writeLong: isLong ? tokens : 0 }, prices);
	const more = written - costUnits({ read: tokens }, prices);
	const units = Math.round(Math.max(0, more));
	return { units, dollars: dollarsOf(units, prices) };
}

function shareOf({ read, write, input }: CacheTokens): number | null {
	const prompt = read + write + input;
	return prompt === 0 ? null : Number((read / prompt).toFixed(4));
}
