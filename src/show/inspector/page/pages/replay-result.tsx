/** The result of a replay: its progress while it runs, then one row for each mode and the curves. */

import type { JSX } from "preact";
import type { BilledUsage } from "../../../../replay/billed-usage.ts";
import type { ModeReport } from "../../../../replay/mode-report.ts";
import type { ReplayReport } from "../../../../replay/report.ts";
import type { ReplayJob } from "../../server/replay-jobs.ts";
import { ask } from "../access.ts";
import { cost, count, many, percent, span } from "../format.ts";
import { Bar, Copy, cls, State } from "../parts.tsx";
import { Text } from "../text.tsx";
import { ReplayCurves } from "./replay-curves.tsx";

export interface ReplayedMode {
	readonly name: string;
	readonly mode: ModeReport;
}

const MODES = ["woven", "lossless", "host", "warp"] as const;
const MEANING: Readonly<Record<(typeof MODES)[number], string>> = {
	woven: "seed and tail; seals when it pays",
	lossless: "the history, compacted by our DAG",
	host: "the agent alone, its own compaction",
	warp: "rebuilt for every run",
};
/** Dollars per million tokens, until the report names the real price. */
const DEFAULT_PRICE = 3;

export function ReplayResult({ job }: { job: ReplayJob }): JSX.Element {
	const { report, status } = job;
	const modes = MODES.flatMap((name): ReplayedMode[] => {
		const mode = report?.modes?.[name];
		return mode ? [{ name, mode }] : [];
	});
	const isAssumed = report?.prices?.assumed === true;
	return (
		<>
			<div class="sec flush">
				<Header job={job} />
				{status === "running" && <Progress job={job} modes={modes} />}
				{status === "failed" && (
					<div class="hp">
						<div class="note blocked" role="alert">
							<p>
								<b>The replay failed.</b> <Text>{job.error ?? ""}</Text>
							</p>
						</div>
					</div>
				)}
				{status === "stopped" && <p class="dim hp">Stopped.</p>}
				{modes.length > 0 && <ModeTable modes={modes} billed={report?.billed} assumed={isAssumed} />}
				{report?.recovered && <Facts report={report as ReplayReport} />}
			</div>
			{modes.length > 0 && (
				<ReplayCurves
					modes={modes}
					dollarsPerMillion={report?.prices?.input ?? DEFAULT_PRICE}
					money={(value) => cost({ dollars: value, estimated: false, assumed: isAssumed }, 2)}
				/>
			)}
		</>
	);
}

function Header({ job: { name, report, status, ms } }: { job: ReplayJob }): JSX.Element {
	const { model, prices, window, profile } = report ?? {};
	return (
		<header>
			<h2>
				<Text>{name.slice(0, 80)}</Text>
			</h2>
			<span class="dim">
				{model && prices && window !== undefined ? (
					<>
						<Text>{model}</Text> at {cost({ dollars: prices.input, estimated: false, assumed: prices.assumed }, 2)} per
						million, window {count(window)}, {profile}; {span(ms)}
					</>
				) : (
					status
				)}
			</span>
			{status === "done" && (
				<span class="r">
					<Copy text="weft import FILE" title="the replay keeps nothing; this command imports the session">
						Keep it: weft import
					</Copy>
				</span>
			)}
		</header>
	);
}

function Progress({ job: { id, progress }, modes }: { job: ReplayJob; modes: readonly ReplayedMode[] }): JSX.Element {
	return (
		<div class="hp" role="status">
			<div style={{ display: "flex", justifyContent: "space-between", gap: "10px" }}>
				<b>{progress?.what ?? "starting"}</b>
				<span class="dim">{progress ? `${count(progress.done)} of ${count(progress.total)}` : ""}</span>
			</div>
			<div class="prog">
				<i style={{ width: `${progress ? (100 * progress.done) / Math.max(1, progress.total) : 0}%` }} />
			</div>
			<p class="dim" style={{ margin: "4px 0 8px" }}>
				{modes.length > 0 ? `${modes.map(({ name }) => name).join(", ")} done; ` : ""}rows appear as they are computed.{" "}
				<button type="button" onClick={() => void ask(`/replay/${id}/stop`, { method: "POST" })}>
					Stop
				</button>
			</p>
		</div>
	);
}

/** A measure of all rows: how it reads, and which value is the best of its column. */
interface Measure {
	readonly title: string;
	readonly tip?: string;
	/** As for the columns of a table: dropped on a middle-sized screen, or on a phone. */
	readonly hide?: "hide-m" | "hide-s";
	readonly of: (mode: ModeReport) => number | null;
	readonly show: (value: number) => string;
	/** Undefined: no value is better than another. */
	readonly best?: "lowest" | "highest";
	readonly billed?: (billed: BilledUsage) => string;
}

const costMeasure = (assumed: boolean): Measure => ({
	title: "Cost",
	of: (mode) => mode.costDollars,
	show: (value) => cost({ dollars: value, estimated: false, assumed }, 2),
	best: "lowest",
	billed: (billed) => cost({ dollars: billed.costDollars, estimated: billed.estimated, assumed: billed.assumed }, 2),
});
const MEASURES: readonly Measure[] = [
	{
		title: "Mean tokens",
		hide: "hide-s",
		of: (mode) => mode.meanTokens,
		show: count,
		best: "lowest",
		billed: ({ meanTokens }) => count(meanTokens),
	},
	{
		title: "Most",
		hide: "hide-m",
		of: (mode) => mode.maxTokens,
		show: count,
		best: "lowest",
		billed: ({ maxTokens }) => count(maxTokens),
	},
	{
		title: "Cache hit",
		hide: "hide-s",
		of: (mode) => mode.hitShare,
		show: percent,
		best: "highest",
		billed: ({ hitShare }) => percent(hitShare),
	},
	{
		title: "Breaks",
		hide: "hide-m",
		of: (mode) => mode.prefixBreaks,
		show: String,
		billed: ({ misses }) => String(misses.warm + misses.cold),
	},
	{ title: "Seals", hide: "hide-m", of: (mode) => mode.seals, show: String },
	{
		title: "Edits held",
		tip: "edits whose old text was in the context",
		of: (mode) => mode.editSupport,
		show: percent,
		best: "highest",
	},
	{ title: "Paths held", hide: "hide-m", of: (mode) => mode.pathSupport, show: percent, best: "highest" },
	{ title: "Terms held", hide: "hide-m", of: (mode) => mode.termSupport, show: percent, best: "highest" },
];

function ModeTable({
	modes,
	billed,
	assumed,
}: {
	modes: readonly ReplayedMode[];
	billed: BilledUsage | undefined;
	/** No list has the price of the model. */
	assumed: boolean;
}): JSX.Element {
	const measure = costMeasure(assumed);
	const host = modes.find(({ name }) => name === "host")?.mode.costDollars;
	const maxDollars = Math.max(1e-9, ...modes.map(({ mode }) => mode.costDollars), billed?.costDollars ?? 0);
	const ofHost = (costDollars: number) => (host ? (costDollars / host).toFixed(2) : "–");
	const barWidth = (costDollars: number) => (108 * costDollars) / maxDollars;
	return (
		<div class="tw">
			<table class="auto" aria-label="Modes">
				<thead>
					<tr>
						<th scope="col">Mode</th>
						<th scope="col" class="num">
							Cost
						</th>
						<th scope="col" class="num hide-s">
							Of host
						</th>
						<th scope="col" class="hide-m">
							<span class="sr">bar</span>
						</th>
						{MEASURES.map(({ title, tip, hide }) => (
							<th key={title} scope="col" class={cls("num", hide)} title={tip}>
								{title}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{modes.map(({ name, mode }) => (
						<tr key={name} data-mode={name}>
							<td>
								<b>{name}</b> <span class="dim hide-m">{MEANING[name as (typeof MODES)[number]]}</span>
							</td>
							<MeasureCell measure={measure} mode={mode} modes={modes} />
							<td class="num hide-s">{ofHost(mode.costDollars)}</td>
							<td class="hide-m" style={{ width: "120px" }}>
								<Bar width={barWidth(mode.costDollars)} colour={name === "host" ? "var(--k-host)" : "var(--ink)"} />
							</td>
							{MEASURES.map((measure) => (
								<MeasureCell key={measure.title} measure={measure} mode={mode} modes={modes} />
							))}
						</tr>
					))}
					{billed && billed.requests > 0 && (
						<tr class="off">
							<td>
								<b>billed</b> <span class="hide-m">what the provider really charged</span>
							</td>
							<td class="num">{measure.billed?.(billed)}</td>
							<td class="num hide-s">{ofHost(billed.costDollars)}</td>
							<td class="hide-m">
								<Bar width={barWidth(billed.costDollars)} colour="var(--line-2)" />
							</td>
							{MEASURES.map((measure) => (
								<td key={measure.title} class={cls("num", measure.hide)}>
									{measure.billed?.(billed) ?? "–"}
								</td>
							))}
						</tr>
					)}
				</tbody>
			</table>
		</div>
	);
}

function MeasureCell({
	measure,
	mode,
	modes,
}: {
	measure: Measure;
	mode: ModeReport;
	modes: readonly ReplayedMode[];
}): JSX.Element {
	const value = measure.of(mode);
	const isBest = value !== null && modes.length > 1 && value === bestOf(measure, modes);
	return <td class={cls("num", measure.hide, isBest && "best")}>{value === null ? "–" : measure.show(value)}</td>;
}

function bestOf({ of, best }: Measure, modes: readonly ReplayedMode[]): number | undefined {
	if (best === undefined) return undefined;
	const values = modes.flatMap(({ mode }) => of(mode) ?? []);
	return best === "lowest" ? Math.min(...values) : Math.max(...values);
}

function Facts({ report }: { report: ReplayReport }): JSX.Element {
	const { recovered, verdicts, malformed, modes } = report;
	const edits = modes.woven?.support.edits;
	return (
		<div class="leg hp" style={{ paddingTop: "10px" }}>
			<State is={recovered.recovered === recovered.messages ? "fresh" : "blocked"}>
				{count(recovered.recovered)} of {count(recovered.messages)} messages recovered byte for byte
			</State>
			<span class="mid">
				the guard would have blocked {count(verdicts.blocks)} of {many(verdicts.calls, "call")}
			</span>
			{edits && (
				<span class="mid">
					woven held {edits[0]} of {many(edits[1], "edit")}
				</span>
			)}
			{malformed > 0 && <State is="stale">{many(malformed, "line")} could not be read</State>}
			<span class="dim">Bold marks the best value of a column.</span>
		</div>
	);
}
