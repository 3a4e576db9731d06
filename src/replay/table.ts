/** A replay as lines of text: the table, what explains its numbers, and a chart of tokens per request. */

import { formatBytes, formatCount, plural } from "../base/text/bytes.ts";
import { formatDuration } from "../base/text/duration.ts";
import { formatDollars, formatKilo, formatPercent } from "../base/text/number.ts";
import { type Column, renderTable } from "../base/text/table.ts";
import type { Prices } from "../base/tokens/prices.ts";
import { renderReason } from "../context/seal/account.ts";
import { renderChart } from "./chart.ts";
import type { ReplayReport } from "./report.ts";
import type { Sweep } from "./sweep.ts";

export interface TellOptions {
	/** Columns of the terminal; undefined: nobody's. */
	readonly width?: number | undefined;
	/** Colours titles. */
	readonly dim?: ((text: string) => string) | undefined;
}

const DEFAULT_WIDTH = 100;

export function* tellReplay(report: ReplayReport, options: TellOptions = {}): Generator<string> {
	const dim = options.dim ?? ((text: string) => text);
	yield `${plural(countRequests(report), "model call")}, ${report.model ?? "unknown model"}, window ${formatCount(report.window)}, profile ${report.profile}`;
	yield tellPrices(report.prices);
	yield frameOf(report);
	yield "";
	yield* tellCosts(report, dim);
	yield "";
	yield* tellSupport(report, dim);
	yield "";
	yield* tellCauses(report);
	yield* tellBilled(report);
	yield* tellRecovered(report);
	yield* tellVerdicts(report);
	if (report.sweep) yield* tellSweep(report.sweep, dim);
	yield "";
	yield dim("Tokens per request, one scale for all; each column is the largest of its requests.");
	const series = Object.entries(report.modes).map(([name, mode]) => ({
		name,
		values: mode.perRequest.map(({ tokens }) => tokens),
	}));
	const billed = report.billed.requests > 0 ? [{ name: "billed", values: report.billed.perRequest }] : [];
	yield* renderChart([...series, ...billed], options.width ?? DEFAULT_WIDTH);
}

/** An assumed price says so. */
export function tellPrices({ input, read, write, assumed }: Prices): string {
	const whose = assumed ? " (assumed: nobody has told what this model costs)" : "";
	return `$${input} per million tokens of input, cache read ×${read}, write ×${write}${whose}`;
}

/** What every request carries, how long the cache lives, and whether the file has the session's beginning. */
export function frameOf({ fixedTokens, cacheLifetime, startMissing }: ReplayReport): string {
	const missing = startMissing ? ". The file begins in the middle of the session: what was before is in no row" : "";
	return `${formatCount(fixedTokens)} tokens of system and tools in every request, the cache lives ${formatDuration(cacheLifetime)}${missing}`;
}

function* tellCosts(report: ReplayReport, dim: (text: string) => string): Generator<string> {
	const { host } = report.modes;
	const rows = Object.entries(report.modes).map(([name, mode]) => [
		name,
		formatKilo(mode.meanTokens),
		formatKilo(mode.maxTokens),
		formatKilo(mode.costUnits),
		ratio(mode.costUnits, host?.costUnits),
		ratio(mode.costUnits3k, host?.costUnits3k),
		ratio(mode.healedUnits3k, host?.costUnits3k),
		formatDollars(mode.costDollars),
		formatPercent(mode.hitShare),
		String(mode.seals),
	]);
	const { billed } = report;
	if (billed.requests > 0) {
		const sizes = [formatKilo(billed.meanTokens), formatKilo(billed.maxTokens), formatKilo(billed.costUnits)];
		const cost = [ratio(billed.costUnits, host?.costUnits), "", "", formatDollars(billed.costDollars)];
		rows.push(["billed", ...sizes, ...cost, formatPercent(billed.hitShare)]);
	}
	const titles = ["mean", "max", "cost", "of host", "at 3k", "healed", "dollars", "cache", "seals"];
	yield* renderTable(columnsOf("mode", titles), rows, { style: "ruled", paintHead: dim });
}

function* tellSupport({ modes }: ReplayReport, dim: (text: string) => string): Generator<string> {
	const rows = Object.entries(modes).map(([name, mode]) => [
		name,
		formatPercent(mode.editSupport),
		formatPercent(mode.editsAtHand),
		formatPercent(mode.pathSupport),
		formatPercent(mode.termSupport),
		String(mode.prefixBreaks),
		String(mode.invalid),
	]);
	const titles = ["edits", "at hand", "paths", "terms", "breaks", "invalid"];
	yield* renderTable(columnsOf("mode", titles), rows, { style: "ruled", paintHead: dim });
}

/** A name, and numbers. */
export function columnsOf(first: string, numbers: readonly string[]): Column[] {
	return [{ title: first }, ...numbers.map((title) => ({ title, align: "right" as const }))];
}

function* tellCauses({ modes }: ReplayReport): Generator<string> {
	for (const [name, { causes, invalidRequests, unproven, requests }] of Object.entries(modes)) {
		if (unproven > 0) {
			yield `${name}: ${unproven} of ${requests} requests are not the bytes that left: the log does not hold all of them`;
		}
		const told = Object.entries(causes).map(([cause, count]) => `${renderReason(cause)} ${count}×`);
		if (told.length > 0) yield `${name}: bytes already sent changed: ${told.join(", ")}`;
		for (const { index, violations } of invalidRequests) {
			yield `${name}: request ${index} is invalid: ${violations[0]?.rule}: ${violations[0]?.message}`;
		}
	}
}

function* tellBilled({ billed }: ReplayReport): Generator<string> {
	if (billed.requests === 0) {
		yield "billed: the recording holds no usage";
		return;
	}
	const { warm, cold, tokens } = billed.misses;
	const recorded =
		billed.recordedDollars === null ? "" : `; the host counted ${formatDollars(billed.recordedDollars)} with output`;
	yield `billed: ${plural(billed.requests, "request")} with a recorded usage${recorded}; the cache missed ${plural(warm, "time")} while warm and ${plural(cold, "time")} cold, ${formatCount(tokens)} tokens in all`;
}

function* tellRecovered({ recovered, malformed }: ReplayReport): Generator<string> {
	const { messages, recovered: same, bytes } = recovered;
	const lost = malformed > 0 ? `; ${plural(malformed, "line")} of the file could not be read` : "";
	yield `recovered: ${formatCount(same)} of ${plural(messages, "message")} (${formatBytes(bytes)}) fetched back, byte for byte${lost}`;
}

function* tellVerdicts({ verdicts }: ReplayReport): Generator<string> {
	const told = Object.entries(verdicts.byRule).map(([rule, count]) => `${rule} ${count}×`);
	yield `guard: ${plural(verdicts.calls, "call")} judged on the files as the recording knows them; ${told.join(", ") || "no verdict"}`;
}

function* tellSweep(sweep: Sweep, dim: (text: string) => string): Generator<string> {
	const columns = [
		{ title: "seal at" },
		{ title: "cost", align: "right" },
		{ title: "seals", align: "right" },
		{ title: "with Q", align: "right" },
		{ title: "of best", align: "right" },
		{ title: "edits", align: "right" },
		{ title: "terms", align: "right" },
	] as const;
	const rows = [sweep.regret, ...sweep.fixed].map((row) => [
		row.threshold === null ? "regret rule" : formatKilo(row.threshold),
		formatKilo(row.costUnits),
		String(row.seals),
		formatKilo(row.total),
		(row.total / sweep.best.total).toFixed(3),
		formatPercent(row.editSupport),
		formatPercent(row.termSupport),
	]);
	yield "";
	yield `All fixed thresholds, with the same seeds and Q = ${formatCount(sweep.hidden)} per seal: the regret rule comes to ${sweep.ratio.toFixed(3)} of the best.`;
	yield* renderTable(columns, rows, { style: "ruled", paintHead: dim });
}

export function countRequests({ modes, billed }: ReplayReport): number {
	return Object.values(modes)[0]?.requests ?? billed.perRequest.length;
}

function ratio(units: number, host: number | undefined): string {
	return host === undefined || host === 0 ? "" : (units / host).toFixed(3);
}
