/** A replay as lines of text: the table, what explains its numbers, and a chart of tokens per request. */
import { formatBytes, formatCount, plural } from "../text/bytes.ts";
import { formatDollars, formatKilo, formatPercent } from "../text/number.ts";
import { renderTable } from "../text/table.ts";
import { renderChart } from "./chart.ts";
import type { ModeReport } from "./measure.ts";
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
	const { read, write, input } = report.prices;
	yield `${plural(countRequests(report), "model call")}, ${report.model ?? "unknown model"} ($${input} per million tokens of input, cache read ×${read}, write ×${write}), window ${formatCount(report.window)}, profile ${report.profile}`;
	yield "";
	yield* tellModes(report, dim);
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

function* tellModes(report: ReplayReport, dim: (text: string) => string): Generator<string> {
	const columns = [
		{ title: "mode" },
		{ title: "mean", align: "right" },
		{ title: "max", align: "right" },
		{ title: "cost", align: "right" },
		{ title: "of host", align: "right" },
		{ title: "dollars", align: "right" },
		{ title: "cache", align: "right" },
		{ title: "breaks", align: "right" },
		{ title: "seals", align: "right" },
		{ title: "edits", align: "right" },
		{ title: "paths", align: "right" },
		{ title: "terms", align: "right" },
		{ title: "invalid", align: "right" },
	] as const;
	const host = report.modes.host?.costUnits;
	const rows = Object.entries(report.modes).map(([name, mode]) => modeRow(name, mode, host));
	const { billed } = report;
	if (billed.requests > 0) {
		const own = [
			formatKilo(billed.meanTokens),
			formatKilo(billed.maxTokens),
			formatKilo(billed.costUnits),
			ratio(billed.costUnits, host),
		];
		const misses = String(billed.misses.warm + billed.misses.cold);
		rows.push(["billed", ...own, formatDollars(billed.costDollars), formatPercent(billed.hitShare), misses]);
	}
	yield* renderTable(columns, rows, { style: "ruled", paintHead: dim });
}

function modeRow(name: string, mode: ModeReport, host: number | undefined): string[] {
	return [
		name,
		formatKilo(mode.meanTokens),
		formatKilo(mode.maxTokens),
		formatKilo(mode.costUnits),
		ratio(mode.costUnits, host),
		formatDollars(mode.costDollars),
		formatPercent(mode.hitShare),
		String(mode.prefixBreaks),
		String(mode.seals),
		formatPercent(mode.editSupport),
		formatPercent(mode.pathSupport),
		formatPercent(mode.termSupport),
		String(mode.invalid),
	];
}

function* tellCauses({ modes }: ReplayReport): Generator<string> {
	for (const [name, { causes, invalidRequests, unproven, requests }] of Object.entries(modes)) {
		if (unproven > 0) {
			yield `${name}: ${unproven} of ${requests} requests are not the bytes that left: the log does not hold all of them`;
		}
		const told = Object.entries(causes).map(([cause, count]) => `${cause} ${count}×`);
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
