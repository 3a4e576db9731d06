/** Renders a replay as text: the tables, lines that explain the numbers, and a chart of tokens per request. */

import { basename } from "node:path";
import { formatBytes, formatCount, formatKilo, formatPercent, plural } from "../base/text/bytes.ts";
import { renderChart } from "../base/text/chart.ts";
import { oneLine } from "../base/text/printable.ts";
import { type Column, renderTable } from "../base/text/table.ts";
import { formatDuration } from "../base/text/time.ts";
import { dollarsOf, type Prices } from "../base/tokens/prices.ts";
import { POLICY_WORDS } from "../context/seal/policy.ts";
import { renderReason } from "../context/seal/rule.ts";
import { formatCost } from "../view/cost.ts";
import { savingSentence } from "../view/saving.ts";
import { EXAM_KINDS, type ExamReport } from "./exam.ts";
import type { ReplayReport } from "./report.ts";
import type { Sweep } from "./threshold-sweep.ts";
import {
	type ClassTotal,
	type ReplayTotals,
	SESSION_FIGURES,
	type SessionFigure,
	sumClasses,
	type Totals,
	totalsOf,
} from "./totals.ts";

interface ReportTextOptions {
	/** Columns of the terminal; undefined: the output is no terminal. */
	readonly width?: number | undefined;
	/** Dims titles. */
	readonly dim?: ((text: string) => string) | undefined;
}

const DEFAULT_WIDTH = 100;

/** The answer in one sentence, then the picture. A report without both rows that it compares has its tables alone. */
export function* renderAnswer(report: ReplayReport, options: ReportTextOptions = {}): Generator<string> {
	const sentence = answerSentence(report);
	if (sentence === undefined) {
		yield* renderReport(report, options);
		return;
	}
	yield sentence;
	yield "";
	yield* renderPicture(report, options, ["woven", "host"]);
	yield "";
	yield options.dim?.("--table shows all modes and the numbers behind it.") ??
		"--table shows all modes and the numbers behind it.";
}

/** Undefined: `woven` or `host` was not replayed. */
function answerSentence({ modes: { woven, host }, billed, prices, ranWithWeft }: ReplayReport): string | undefined {
	if (!woven || !host || host.costUnits === 0) return undefined;
	const isBilled = billed.requests > 0 && billed.costDollars > 0;
	const paid = isBilled ? billed.costDollars : host.costDollars;
	const [held, of] = woven.support.edits;
	const edits = { of, weft: held, host: host.support.edits[0] };
	if (paid === 0) {
		const percent = Math.round(100 * (1 - woven.costUnits / host.costUnits));
		return `This session cost nothing. With weft its prompts weigh ${Math.abs(percent)} % ${percent < 0 ? "more" : "less"}.`;
	}
	const { estimated } = billed;
	const assumed = isBilled ? billed.assumed : prices.assumed === true;
	const share = woven.costDollars / host.costDollars;
	if (isBilled && ranWithWeft) {
		const alone = formatCost({ dollars: paid / share, estimated: false, assumed });
		const more = Math.round(100 * (1 / share - 1));
		return `This session ran with weft and cost ${formatCost({ dollars: paid, estimated, assumed })}. Without weft about ${alone}, ${Math.abs(more)} % ${more < 0 ? "less" : "more"}.`;
	}
	const weft = paid * share;
	return savingSentence({ subject: "This session", paid, weft, estimated, assumed, edits, isBilled });
}

export function* renderReport(report: ReplayReport, options: ReportTextOptions = {}): Generator<string> {
	const dim = options.dim ?? ((text: string) => text);
	const sentence = answerSentence(report);
	if (sentence !== undefined) yield* [sentence, ""];
	yield `${plural(countRequests(report), "model call")}, ${report.model ?? "unknown model"}, window ${formatCount(report.window)}, profile ${report.profile}`;
	yield renderPrices(report.prices);
	yield* renderPolicy(report);
	yield renderFrame(report);
	yield "";
	yield* renderCosts(report, dim);
	yield* renderNoteCost(report);
	yield "";
	yield* renderSupport(report, dim);
	yield "";
	yield* renderClasses(sumClasses([report]), dim);
	if (report.exam) yield* renderExam(report.exam, dim);
	yield* renderCauses(report);
	yield* renderBilled(report);
	yield* renderRecovery(report);
	yield* renderVerdicts(report);
	if (report.sweep) yield* renderSweep(report.sweep, dim);
	yield "";
	yield* renderPicture(report, options);
}

/** `rows`: only these modes. */
function* renderPicture(
	report: ReplayReport,
	{ dim = (text) => text, width = DEFAULT_WIDTH }: ReportTextOptions,
	rows?: readonly string[],
): Generator<string> {
	yield dim("Tokens per request, same scale for all; each column shows the largest of its requests.");
	const series = Object.entries(report.modes)
		.filter(([name]) => rows?.includes(name) ?? true)
		.map(([name, mode]) => ({ name, values: mode.perRequest.map(({ tokens }) => tokens) }));
	const billed = report.billed.requests > 0 ? [{ name: "billed", values: report.billed.perRequest }] : [];
	yield* renderChart([...series, ...billed], { width, format: formatKilo, unit: "request" });
}

function renderPrices({ input, output, read, write, writeLong, steps = [], assumed }: Prices): string {
	const whose = assumed ? " (assumed: the price of this model is unknown)" : "";
	const more = steps.map((step) => `; above ${formatCount(step.above)} tokens $${step.input}, output ×${step.output}`);
	return `$${input} per million tokens of input, output ×${output}, cache read ×${read}, write ×${write}, for an hour ×${writeLong}${more.join("")}${whose}`;
}

/** By price is the usual policy; a model without a price would not be sealed by it. */
function* renderPolicy({ seal, prices }: ReplayReport): Generator<string> {
	if (seal) yield `woven and lossless seal ${POLICY_WORDS[seal]} (${seal})`;
	else if (prices.input === 0)
		yield "the model cost nothing: the rows seal as if it had a price. With your settings weft may seal later: --seal late";
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
		formatCost({ dollars: mode.costDollars, estimated: false, assumed: report.prices.assumed }),
		formatPercent(mode.hitShare),
		String(mode.seals),
	]);
	const { billed } = report;
	if (billed.requests > 0) {
		const sizes = [formatKilo(billed.meanTokens), formatKilo(billed.maxTokens), formatKilo(billed.costUnits)];
		const cost = [ratio(billed.costUnits, host?.costUnits), "", "", formatBilled(billed)];
		rows.push(["billed", ...sizes, ...cost, formatPercent(billed.hitShare)]);
	}
	const titles = ["mean", "max", "cost", "of host", "at 3k", "healed", "dollars", "cache", "seals"];
	yield* renderTable(columnsOf("mode", titles), rows, { style: "ruled", paintHead: dim });
}

/** Replay asks no model, so it can only say what the notes would cost. */
function* renderNoteCost({ modes, prices }: ReplayReport): Generator<string> {
	const { woven } = modes;
	if (!woven || woven.seals === 0) return;
	const cost = (units: number) =>
		formatCost({ dollars: dollarsOf(units, prices), estimated: true, assumed: prices.assumed });
	const [each, all] = [cost(woven.noteUnits / woven.seals), cost(woven.noteUnits)];
	const share = formatPercent(woven.noteUnits / Math.max(1, woven.costUnits + woven.outputUnits));
	yield `A note by the session's own model at each seal (memoryModels session) would add ${each} a seal to woven, ${all} in all (${share}).`;
}

function* renderSupport({ modes }: ReplayReport, dim: (text: string) => string): Generator<string> {
	const rows = Object.entries(modes).map(([name, mode]) => [
		name,
		formatPercent(mode.editSupport),
		formatPercent(mode.editLines),
		formatPercent(mode.editsOfHost),
		formatPercent(mode.editsAtHand),
		formatPercent(mode.pathSupport),
		formatPercent(mode.termSupport),
		String(mode.prefixBreaks),
		String(mode.invalid),
	]);
	const titles = ["edits", "by lines", "of host's", "at hand", "paths", "terms", "breaks", "invalid"];
	yield* renderTable(columnsOf("mode", titles), rows, { style: "ruled", paintHead: dim });
}

const MAX_MISSED = 10;

/** The questions that each row can answer, by kind, beside the newest messages alone in as many tokens. */
function* renderExam(
	exam: Readonly<Partial<Record<string, ExamReport>>>,
	dim: (text: string) => string,
	{ missed: withMissed = true } = {},
): Generator<string> {
	const rows = Object.entries(exam).flatMap(([name, report]) => (report ? [{ name, report }] : []));
	const kinds = EXAM_KINDS.filter((kind) => rows.some(({ report }) => report.kinds[kind]));
	const cells = rows.map(({ name, report: { held, of, heldByTail, meanTokens } }) => [
		name,
		`${held}/${of}`,
		`${heldByTail}/${of}`,
		formatKilo(meanTokens),
	]);
	const style = { style: "ruled", paintHead: dim } as const;
	yield* renderTable(columnsOf("exam", ["held", "tail", "tokens"]), cells, style);
	yield "";
	const byKind = rows.map(({ name, report }) => [name, ...kinds.map((kind) => report.kinds[kind]?.join("/") ?? "")]);
	yield* renderTable(columnsOf("exam", [...kinds]), byKind, style);
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
function columnsOf(first: string, numbers: readonly string[]): Column[] {
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
	const whose = billed.assumed
		? "at an assumed price"
		: billed.estimated
			? "at list prices"
			: "as the agent counted it";
	yield `billed: ${plural(billed.requests, "request")} with recorded usage, ${formatBilled(billed)} ${whose}; the cache missed ${plural(warm, "time")} while warm and ${plural(cold, "time")} cold, ${formatCount(tokens)} tokens in total`;
}

function formatBilled({ costDollars, assumed }: ReplayReport["billed"]): string {
	return formatCost({ dollars: costDollars, estimated: false, assumed });
}

/** `woven` at each price of reading, as shares of the host's cost at the same price. */
function* renderClasses(
	classes: readonly ClassTotal[],
	dim: (text: string) => string,
	width?: number,
): Generator<string> {
	if (classes.length === 0) return;
	const rows = classes.map((each) => [
		`woven, read ×${each.read}`,
		share(each.ofHost),
		share(each.ofHost3k),
		share(each.healedOfHost3k),
		share(each.editSupport),
		share(each.pathSupport),
		share(each.termSupport),
		String(each.seals),
	]);
	const titles = ["of host", "at 3k", "healed", "edits", "paths", "terms", "seals"];
	yield* renderTable(columnsOf("price class", titles), rows, { style: "ruled", paintHead: dim, width });
	yield "";
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

function countRequests({ modes, billed }: ReplayReport): number {
	return Object.values(modes)[0]?.requests ?? billed.perRequest.length;
}

function ratio(units: number, host: number | undefined): string {
	return host === undefined || host === 0 ? "" : (units / host).toFixed(3);
}

export interface ReplayedFile {
	readonly file: string;
	readonly report: ReplayReport;
}

/** Renders several replays as text: each file, then the sums by host and overall. */
export function* renderTotals(
	files: readonly ReplayedFile[],
	totals: ReplayTotals,
	{ dim = (text) => text, width }: ReportTextOptions = {},
): Generator<string> {
	for (const { file, report } of files) {
		if (report.startMissing)
			yield `${basename(file)} starts in the middle of its session; no row has what came before.`;
	}
	const titles = ["of host", "at 3k", "healed", "edits", "hand", "paths", "terms"];
	const each = files.flatMap(({ file, report }) => rowsOf(basename(file), totalsOf([report]).all));
	const single = [{ title: "file", shrink: true }, { title: "mode" }, ...columnsOf("", titles).slice(1)];
	yield* renderTable(single, each, { style: "ruled", paintHead: dim, width });
	yield "";
	const sums = Object.entries(totals.byHost).flatMap(([host, own]) => rowsOf(host, own));
	const columns = [{ title: "host", shrink: true }, ...single.slice(1)];
	yield* renderTable(columns, [...sums, ...rowsOf("all", totals.all)], { style: "ruled", paintHead: dim, width });
	yield "";
	const spreads = [...Object.entries(totals.byHost), ["all", totals.all] as const].flatMap(([host, own]) =>
		Object.entries(own).flatMap(([mode, { spread, sessions }]) =>
			spread && mode !== "host"
				? [[host, mode, String(sessions), ...[spread.best, spread.median, spread.worst].map(share)]]
				: [],
		),
	);
	const spreadTitles = columnsOf("", ["files", "best", "median", "worst"]).slice(1);
	yield* renderTable([{ title: "at 3k" }, { title: "mode" }, ...spreadTitles], spreads, {
		style: "ruled",
		paintHead: dim,
		width,
	});
	yield "";
	yield* renderSessionSpreads(totals, dim, width);
	yield "";
	yield* renderClasses(totals.classes, dim, width);
	const exams = Object.entries(totals.all).flatMap(([mode, { exam }]) => (exam ? [[mode, exam] as const] : []));
	if (exams.length > 0) {
		yield "";
		yield* renderExam(Object.fromEntries(exams), dim, { missed: false });
	}
	const calls = files.reduce((sum, { report }) => sum + countRequests(report), 0);
	yield `${plural(files.length, "session")}, ${formatCount(calls)} model calls`;
}

const SPREAD_TITLES: Readonly<Record<SessionFigure, string>> = {
	edits: "edits held",
	atHand: "at hand",
	terms: "terms held",
	healed: "healed",
};

/** How far the sessions differ, by agent: one row per figure and mode. */
function* renderSessionSpreads(
	{ byHost, all }: ReplayTotals,
	dim: (text: string) => string,
	width: number | undefined,
): Generator<string> {
	const rows = [...Object.entries(byHost), ["all", all] as const].flatMap(([host, totals]) =>
		SESSION_FIGURES.flatMap((figure) =>
			(["woven", "tail"] as const).flatMap((mode) => {
				const spread = totals[mode]?.bySession[figure];
				if (!spread || (figure === "healed" && mode === "tail")) return [];
				const { sessions, median, worst, interval } = spread;
				const between = interval ? interval.map(share).join("–") : "–";
				return [[host, SPREAD_TITLES[figure], mode, String(sessions), share(median), share(worst), between]];
			}),
		),
	);
	const titles = columnsOf("", ["sessions", "median", "worst", "95 %"]).slice(1);
	const columns = [{ title: "host", shrink: true }, { title: "by session" }, { title: "mode" }, ...titles];
	yield* renderTable(columns, rows, { style: "ruled", paintHead: dim, width });
}

function rowsOf(name: string, totals: Totals): string[][] {
	return Object.entries(totals).map(([mode, total], at) => [
		at === 0 ? name : "",
		mode,
		share(total.ofHost),
		share(total.ofHost3k),
		share(total.healedOfHost3k),
		share(total.editSupport),
		share(total.editsAtHand),
		share(total.pathSupport),
		share(total.termSupport),
	]);
}

function share(value: number | null): string {
	return value === null ? "–" : value.toFixed(3);
}
