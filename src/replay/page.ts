/**
 * A replay as one page: tables and an inline drawing, no script, nothing loaded from anywhere. All of it is text that a
 * reader can reach by keyboard; the drawing has its numbers in a table below it.
 */
import { formatCount, plural } from "../base/text/bytes.ts";
import { formatDollars, formatKilo, formatPercent } from "../base/text/number.ts";
import type { BilledUsage } from "./billed-usage.ts";
import { drawLines, type Line } from "./drawing.ts";
import type { ModeReport } from "./mode-report.ts";
import type { ReplayReport } from "./report.ts";
import { countRequests, renderFrame, renderPrices } from "./report-text.ts";

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1c1a; --soft: #5f5e59; --rule: #d8d6cf; --paper: #fdfcf9;
	--woven: #0b6e99; --warp: #a8570a; --lossless: #6a4fa3; --host: #555; --sent: #2e7d32; --billed: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #ecebe6; --soft: #a5a39b; --rule: #3c3b37; --paper: #171715;
	--woven: #5cc0ea; --warp: #eda25a; --lossless: #b9a2f0; --host: #b5b3ab; --sent: #81c784; --billed: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; } p, dd { max-width: 46rem; }
.scroll { overflow-x: auto; } .scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--woven); outline-offset: 2px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; } th:first-child { text-align: left; }
svg { width: 100%; height: auto; overflow: visible; } svg text { fill: var(--soft); font: 12px system-ui, sans-serif; } .grid { stroke: var(--rule); }
.line { fill: none; stroke-width: 1.6; } .woven { stroke: var(--woven); } .warp { stroke: var(--warp); stroke-dasharray: 6 3; }
.lossless { stroke: var(--lossless); stroke-dasharray: 9 3 2 3; } .host { stroke: var(--host); stroke-dasharray: 2 3; } .sent { stroke: var(--sent); } .billed { stroke: var(--billed); stroke-width: 1; }
.scroll + .scroll { margin-top: 1.2rem; }
@media (max-width: 34rem) { body { font-size: 15px; margin: 1rem auto; padding: 0 .7rem; } table { width: 100%; font-size: 12px; }
	th, td { padding: .25rem .2rem; } th:first-child { white-space: normal; } main > svg text { font-size: 24px; } .key { gap: .2rem 1rem; } }
.key { display: flex; flex-wrap: wrap; gap: 1.2rem; list-style: none; padding: 0; } .key svg { width: 2.6rem; height: .8rem; vertical-align: middle; }
`;

const MAX_TABLE_ROWS = 400;

/** `name`: of the file or the session. */
export function renderPage(report: ReplayReport, name: string): string {
	const lines: Line[] = Object.entries(report.modes).map(([name, mode]) => ({
		name,
		values: mode.perRequest.map(({ tokens }) => tokens),
	}));
	if (report.billed.requests > 0) lines.push({ name: "billed", values: report.billed.perRequest });
	return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>weft replay: ${escapeHtml(name)}</title>
<style>${STYLE}</style>
<main>
<h1>Replay of ${escapeHtml(name)}</h1>
<p>${plural(countRequests(report), "model call")}, ${escapeHtml(report.model ?? "unknown model")}: ${renderPrices(report.prices)}. Window ${formatCount(report.window)} tokens, profile ${report.profile}. In all rows: ${escapeHtml(renderFrame(report))}.</p>
<h2 id="chart">Tokens per request</h2>
${drawLines(lines)}
<ul class="key">${lines.map(({ name: key }) => `<li>${keySign(key)} ${escapeHtml(key)}</li>`).join("")}</ul>
<h2 id="modes">Modes</h2>
${modesTable(report)}
<h2 id="causes">Why bytes that had been sent changed</h2>
${causesList(report)}
<h2 id="more">What was billed, what came back, what the guard would have said</h2>
${facts(report)}
${sweepTable(report)}
<details><summary>Tokens of each request as a table</summary>
${requestsTable(lines)}
</details>
<p>Presence is not use: support says what the context held, not what a model would have done with it.</p>
</main>
</html>
`;
}

/** A row for each measureRequests and a column for each mode: it fits a telephone as it fits a desk. */
function modesTable(report: ReplayReport): string {
	const { modes, billed } = report;
	const { host } = modes;
	const share = (units: number, of: number | undefined) => (of ? (units / of).toFixed(3) : "");
	const all = Object.values(modes);
	const paid = billed.requests > 0 ? billed : undefined;
	const row = (title: string, of: (mode: ModeReport) => string, ofBilled?: (own: BilledUsage) => string): string[] => [
		title,
		...all.map(of),
		...(paid ? [ofBilled?.(paid) ?? ""] : []),
	];
	const names = ["", ...Object.keys(modes), ...(paid ? ["billed"] : [])];
	const cost = [
		row(
			"mean tokens",
			(mode) => formatKilo(mode.meanTokens),
			(own) => formatKilo(own.meanTokens),
		),
		row(
			"largest",
			(mode) => formatKilo(mode.maxTokens),
			(own) => formatKilo(own.maxTokens),
		),
		row(
			"cost",
			(mode) => formatKilo(mode.costUnits),
			(own) => formatKilo(own.costUnits),
		),
		row(
			"of host",
			(mode) => share(mode.costUnits, host?.costUnits),
			(own) => share(own.costUnits, host?.costUnits),
		),
		row("at 3k", (mode) => share(mode.costUnits3k, host?.costUnits3k)),
		row("healed", (mode) => share(mode.healedUnits3k, host?.costUnits3k)),
		row(
			"dollars",
			(mode) => formatDollars(mode.costDollars),
			(own) => formatDollars(own.costDollars),
		),
		row(
			"cache hits",
			(mode) => formatPercent(mode.hitShare),
			(own) => formatPercent(own.hitShare),
		),
		row(
			"breaks",
			(mode) => String(mode.prefixBreaks),
			(own) => String(own.misses.warm + own.misses.cold),
		),
		row("seals", (mode) => String(mode.seals)),
	];
	const held = [
		row("edits", (mode) => formatPercent(mode.editSupport)),
		row("edits at hand", (mode) => formatPercent(mode.editsAtHand)),
		row("paths", (mode) => formatPercent(mode.pathSupport)),
		row("terms", (mode) => formatPercent(mode.termSupport)),
		row("invalid requests", (mode) => String(mode.invalid)),
	].map((cells) => (paid ? cells.slice(0, -1) : cells));
	return [
		table("Cost in units of one plain input token.", names, cost),
		table("What the context held of what the recorded actions relied on.", paid ? names.slice(0, -1) : names, held),
	].join("\n");
}

function causesList({ modes }: ReplayReport): string {
	const items = Object.entries(modes).map(([name, { causes }]) => {
		const told = Object.entries(causes).map(([cause, count]) => `${cause} ${count}×`);
		return `<li>${escapeHtml(name)}: ${escapeHtml(told.join(", ") || "never")}</li>`;
	});
	return `<ul>${items.join("")}</ul>`;
}

function facts({ billed, recovered, verdicts }: ReplayReport): string {
	const { misses } = billed;
	const rules = Object.entries(verdicts.byRule).map(([rule, count]) => `${rule} ${count}×`);
	const usage =
		billed.requests === 0
			? "The recording holds no usage."
			: `${plural(billed.requests, "request")} with a recorded usage: ${formatKilo(billed.costUnits)} units, ${formatDollars(billed.costDollars)} of input at these prices, ${formatPercent(billed.hitShare)} from the cache, which missed ${misses.warm} times while warm and ${misses.cold} times cold (${formatCount(misses.tokens)} tokens).`;
	return `<p>${usage}</p>
<p>${formatCount(recovered.recovered)} of ${plural(recovered.messages, "message")} came back byte for byte.</p>
<p>${plural(verdicts.calls, "call")} judged by the guard on the files as the recording knows them: ${escapeHtml(rules.join(", ") || "no verdict")}.</p>`;
}

function sweepTable({ sweep }: ReplayReport): string {
	if (!sweep) return "";
	const rows = [sweep.regret, ...sweep.fixed].map((row) => [
		row.threshold === null ? "regret rule" : formatKilo(row.threshold),
		formatKilo(row.costUnits),
		String(row.seals),
		formatKilo(row.total),
		(row.total / sweep.best.total).toFixed(3),
	]);
	const caption = `With ${formatCount(sweep.hidden)} tokens per seal for all: the regret rule comes to ${sweep.ratio.toFixed(3)} of the best.`;
	return `<h2 id="sweep">All fixed thresholds</h2>${table(caption, ["seal at", "cost", "seals", "with Q", "of best"], rows)}`;
}

/** A long session is shown in steps: the page stays one that a browser opens at once. */
function requestsTable(lines: readonly Line[]): string {
	const count = Math.max(0, ...lines.map(({ values }) => values.length));
	const step = Math.max(1, Math.ceil(count / MAX_TABLE_ROWS));
	const rows: string[][] = [];
	for (let at = 0; at < count; at += step) {
		rows.push([String(at), ...lines.map(({ values }) => cell(values[at] ?? null))]);
	}
	const caption = step === 1 ? "Every request." : `Every ${step}th request.`;
	return table(caption, ["request", ...lines.map(({ name }) => name)], rows);
}

function cell(tokens: number | null): string {
	return tokens === null ? "" : formatCount(tokens);
}

function table(caption: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
	const titles = head.map((title) => `<th scope="col">${escapeHtml(title)}</th>`).join("");
	const body = rows.map(([first = "", ...rest]) => {
		const cells = rest.map((cell) => `<td>${escapeHtml(cell)}</td>`).join("");
		return `<tr><th scope="row">${escapeHtml(first)}</th>${cells}</tr>`;
	});
	return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table><caption>${escapeHtml(caption)}</caption><thead><tr>${titles}</tr></thead><tbody>${body.join("\n")}</tbody></table></div>`;
}

function keySign(name: string): string {
	return `<svg viewBox="0 0 40 10" aria-hidden="true"><path class="line ${escapeHtml(name)}" d="M0 5H40"/></svg>`;
}

function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
