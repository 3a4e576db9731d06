/** The money that models' jobs for memory cost, as it was reported; elsewhere from list prices. */
import { asNumber, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { costUnits, dollarsOf, type PriceList, type Prices, pricesOf } from "../../base/tokens/prices.ts";
import type { Log } from "../../log/log.ts";

/** A usual job, where its usage was not reported. */
const USUAL_JOB = { input: 7_000, output: 700 } as const;
/** A day of work: SESSION.md is rewritten at most every ten minutes, and a few sessions are consolidated. */
const JOBS_PER_DAY = 15;

export function jobDollars(job: JsonObject, listed?: PriceList): number {
	const usage = asObject(job["usage"]) ?? {};
	const reported = asNumber(usage["cost"]) ?? asNumber(asObject(usage["cost"])?.["total"]);
	if (reported !== undefined) return reported;
	const prices = pricesOf(asText(job["model"]), { listed });
	const calls = asNumber(job["calls"]) ?? 1;
	const tokens = (name: "input" | "output") =>
		asNumber(usage[name]) ?? asNumber(usage[`${name}Tokens`]) ?? USUAL_JOB[name] * calls;
	return dollarsOf(costUnits({ input: tokens("input"), output: tokens("output") }, prices), prices);
}

/** Since midnight UTC, in this project. */
export function dollarsToday(log: Log, now: number, listed?: PriceList): number {
	const since = Math.floor(now / DAY_MS) * DAY_MS;
	let sum = 0;
	for (const { payload } of log.read({ types: ["Job"], since })) sum += jobDollars(payload, listed);
	return sum;
}

const DAY_MS = 86_400_000;

export function expectedDollarsPerDay(prices: Prices): number {
	return dollarsOf(costUnits(USUAL_JOB, prices) * JOBS_PER_DAY, prices);
}
