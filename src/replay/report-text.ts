/** Renders a replay as text: the tables, lines that explain the numbers, and a chart of tokens per request. */

import { formatBytes, formatCount, plural } from "../base/text/bytes.ts";
import { formatDuration } from "../base/text/duration.ts";
import { formatDollars, formatKilo, formatPercent } from "../base/text/number.ts";
import { oneLine } from "../base/text/printable.ts";
import { type Column, renderTable } from "../base/text/table.ts";
import type { Prices } from "../base/tokens/prices.ts";
import { renderReason } from "../context/seal/account.ts";
import { EXAM_KINDS, type ExamReport } from "./exam.ts";
import type { ReplayReport } from "./report.ts";
import { renderChart } from "./text-chart.ts";
import type { Sweep } from "./threshold-sweep.ts";

export interface ReportTextOptions {
	/** Columns of the terminal; undefined: the output is no terminal. */
	readonly width?: number | undefined;
	/** Dims titles. */
	readonly dim?: ((text: string) => string) | undefined;
}

const DEFAULT_WIDTH = 100;

export function* renderReport(report: ReplayReport, options: ReportTextOptions = {}): Generator<string> {
	const dim = options.dim ?? ((text: string) => text);
	yield `${plural(countRequests(report), "model call")}, ${report.model ?? "unknown model"}, window ${formatCount(report.window)}, profile ${report.profile}`;
	yield renderPrices(report.prices);
	yield renderFrame(report);
	yield "";
	yield* renderCosts(report, dim);
	yield "";
	yield* renderSupport(report, dim);
	yield "";
	if (report.exam) yield* renderExam(report.exam, dim);
	yield* renderCauses(report);
	yield* renderBilled(report);
	yield* renderRecovery(report);
	yield* renderVerdicts(report);
	if (report.sweep) yield* renderSweep(report.sweep, dim);
	yield "";
	yield dim("Tokens per request, same scale for all; each column shows the largest of its requests.");
	const series = Object.entries(report.modes).map(([name, mode]) => ({
		name,
		values: mode.perRequest.map(({ tokens }) => tokens),
	}));
	const billed = report.billed.requests > 0 ? [{ name: "billed", values: report.billed.perRequest }] : [];
	yield* renderChart([...series, ...billed], options.width ?? DEFAULT_WIDTH);
}

function renderPrices({ input, read, write, assumed }: Prices): string {
	const whose = assumed ? " (assumed: the price of this model is unknown)" : "";
	return `$${input} per million tokens of input, cache read ×${read}, write ×${write}${whose}`;
}

/** The conditions that all rows share. */
function renderFrame({ fixedTokens, cacheLifetime, startMissing }: ReplayReport): string {
	const missing = startMissing ? ". The file starts in the middle of the session: no row has what came before" : "";
	return `${formatCount(fixedTokens)} tokens of system prompt and tools in every request, the cache lives ${formatDuration(cacheLifetime)}${missing}`;
}

function* renderCosts(report: ReplayReport, dim: (text: string) => string): Generator<string> {
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

function* renderSupport({ modes }: ReplayReport, dim: (text: string) => string): Generator<string> {
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

const MAX_MISSED = 10;

/** The questions that each row can answer, by kind, beside the newest messages alone in as many tokens. */
export function* renderExam(
	exam: Readonly<Partial<Record<string, ExamReport>>>,
	dim: (text: string) => string,
	{ missed: withMissed = true } = {},
): Generator<string> {
	const rows = Object.entries(exam).flatMap(([name, report]) => (report ? [{ name, report }] : []));
	const kinds = EXAM_KINDS.filter((kind) => rows.some(({ report }) => report.kinds[kind]));
	const cells = rows.map(({ name, report: { held, of, heldByTail, meanTokens, kinds: counts } }) => [
		name,
		`${held}/${of}`,
		`${heldByTail}/${of}`,
		formatKilo(meanTokens),
		...kinds.map((kind) => counts[kind]?.join("/") ?? ""),
	]);
	const titles = ["held", "tail", "tokens", ...kinds];
	yield* renderTable(columnsOf("exam", titles), cells, { style: "ruled", paintHead: dim });
	if (withMissed) {
		for (const { name, report } of rows) {
			const { missed } = report;
			for (const { index, kind, question } of missed.slice(0, MAX_MISSED)) {
				yield `${name} misses, before request ${index}, ${kind}: ${oneLine(question)}`;
			}
			if (missed.length > MAX_MISSED) yield `${name} misses ${missed.length - MAX_MISSED} more (--json lists all)`;
		}
	}
	yield "";
}

/** A column for names, then right-aligned columns for numbers. */
export function columnsOf(first: string, numbers: readonly string[]): Column[] {
	return [{ title: first }, ...numbers.map((title) => ({ title, align: "right" as const }))];
}

function* renderCauses({ modes }: ReplayReport): Generator<string> {
	for (const [name, { causes, invalidRequests, unproven, requests }] of Object.entries(modes)) {
		if (unproven > 0) {
			yield `${name}: ${unproven} of ${requests} requests differ from the bytes that were sent: the log does not have all of them`;
		}
		const counted = Object.entries(causes).map(([cause, count]) => `${renderReason(cause)} ${count}×`);
		if (counted.length > 0) yield `${name}: bytes already sent changed: ${counted.join(", ")}`;
		for (const { index, violations } of invalidRequests) {
			yield `${name}: request ${index} is invalid: ${violations[0]?.rule}: ${violations[0]?.message}`;
		}
	}
}

function* renderBilled({ billed }: ReplayReport): Generator<string> {
	if (billed.requests === 0) {
		yield "billed: the recording has no usage";
		return;
	}
	const { warm, cold, tokens } = billed.misses;
	const recorded =
		billed.recordedDollars === null ? "" : `; the host counted ${formatDollars(billed.recordedDollars)} with output`;
	yield `billed: ${plural(billed.requests, "request")} with recorded usage${recorded}; the cache missed ${plural(warm, "time")} while warm and ${plural(cold, "time")} cold, ${formatCount(tokens)} tokens in total`;
}

function* renderRecovery({ recovered, malformed }: ReplayReport): Generator<string> {
	const { messages, recovered: same, bytes } = recovered;
	const lost = malformed > 0 ? `; ${plural(malformed, "line")} of the file could not be read` : "";
	yield `recovered: ${formatCount(same)} of ${plural(messages, "message")} (${formatBytes(bytes)}) fetched back, byte for byte${lost}`;
}

function* renderVerdicts({ verdicts }: ReplayReport): Generator<string> {
	const byRule = Object.entries(verdicts.byRule).map(([rule, count]) => `${rule} ${count}×`);
	yield `guard: ${plural(verdicts.calls, "call")} judged on the files as the recording shows them; ${byRule.join(", ") || "no verdict"}`;
}

function* renderSweep(sweep: Sweep, dim: (text: string) => string): Generator<string> {
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
	yield `All fixed thresholds, with the same seeds and Q = ${formatCount(sweep.hidden)} per seal: the regret rule costs ${sweep.ratio.toFixed(3)} of the best.`;
	yield* renderTable(columns, rows, { style: "ruled", paintHead: dim });
}

export function countRequests({ modes, billed }: ReplayReport): number {
	return Object.values(modes)[0]?.requests ?? billed.perRequest.length;
}

function ratio(units: number, host: number | undefined): string {
	return host === undefined || host === 0 ? "" : (units / host).toFixed(3);
}
