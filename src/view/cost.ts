/** What did it cost: tokens and money by day, session, model, agent or project, what came from a cache apart. */

import { formatCount, plural } from "../base/text/bytes.ts";
import { formatDollars, formatKilo } from "../base/text/number.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatDay } from "../base/text/time.ts";
import { costUnits, dollarsOf, type PriceList, type Prices, pricesOf, UNKNOWN_PRICES } from "../base/tokens/prices.ts";
import type { Log } from "../log/log.ts";
import { readUsage, type UsageRow } from "../state/session/usage-fold.ts";
import { shortSession } from "./short-session.ts";
import { renderRuled, type TextStyle } from "./text-style.ts";

export type CostGroup = "day" | "session" | "model" | "agent" | "project";

export interface CostSums {
	readonly requests: number;
	/** So many of them came back without their usage: their tokens are in no sum. */
	readonly unreported: number;
	/** Tokens that were neither read from the provider's cache nor written to it. */
	readonly input: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly output: number;
	/** The part of it that the models thought, where the hosts say so. */
	readonly reasoning: number;
	/** Tokens that agents were told beyond what was used, so that they compact. They are in no other sum. */
	readonly raised: number;
	/** As the hosts computed it; for requests that they did not price, the input at list prices. */
	readonly dollars: number;
	/** True: some of it is our estimate, without the output. */
	readonly estimated: boolean;
}

export interface CostView {
	readonly by: CostGroup;
	readonly rows: readonly (CostSums & { readonly name: string })[];
	readonly total: CostSums;
	/** Models in it of which neither a host nor a list says the price: what most cost was taken. */
	readonly unknownModels: readonly string[];
}

export interface CostOptions {
	readonly by: CostGroup;
	readonly session?: string | undefined;
	/** ms since the epoch. The log knows the hour of a request: those of the hour count. */
	readonly since?: number | undefined;
	readonly until?: number | undefined;
}

const HOUR_MS = 3_600_000;

/** Model calls, and what the settings say of prices where they were made. */
export interface PricedUsage extends UsageRow {
	readonly prices?: PriceList | undefined;
}

/** With the project in whose log they are. */
export interface ProjectUsage extends PricedUsage {
	readonly project: string;
}

export function viewCost(log: Log, options: CostOptions, prices?: PriceList): CostView {
	return sumCost(
		readUsage(log).map((row) => ({ ...row, project: "", prices })),
		options,
	);
}

/** Of one project, or of several. */
export function sumCost(usage: readonly ProjectUsage[], { by, session, since, until }: CostOptions): CostView {
	const wanted = usage.filter(
		(row) =>
			row.requests > 0 &&
			(session === undefined || row.session === session) &&
			(since === undefined || (row.hour + 1) * HOUR_MS > since) &&
			(until === undefined || row.hour * HOUR_MS < until),
	);
	const groups = Map.groupBy(wanted, (row) => nameOf(row, by));
	const rows = [...groups].map(([name, each]) => ({ name, ...sumUsage(each) }));
	// Days in their order; sessions and models by what they cost.
	rows.sort((one, other) => (by === "day" ? (one.name < other.name ? -1 : 1) : other.dollars - one.dollars));
	const unknown = wanted.filter((row) => row.priced < row.requests && pricesFor(row).assumed);
	return {
		by,
		rows,
		total: sumUsage(wanted),
		unknownModels: [...new Set(unknown.map(({ model }) => model || "unknown"))],
	};
}

/** The sums of some rows, at the prices of their models. */
export function sumUsage(rows: readonly PricedUsage[]): CostSums {
	const sums = {
		requests: 0,
		unreported: 0,
		input: 0,
		cacheRead: 0,
		cacheWrite: 0,
		output: 0,
		reasoning: 0,
		raised: 0,
		dollars: 0,
		estimated: false,
	};
	for (const row of rows) {
		sums.requests += row.requests;
		sums.unreported += row.unreported;
		sums.input += row.input;
		sums.cacheRead += row.cache_read;
		sums.cacheWrite += row.cache_write;
		sums.output += row.output;
		sums.reasoning += row.reasoning;
		sums.raised += row.raised;
		const priced = row.priced >= row.requests;
		sums.dollars += priced ? row.cost : estimate(row);
		sums.estimated ||= !priced;
	}
	return sums;
}

export function renderCost({ by, rows, total, unknownModels }: CostView, style: TextStyle): string[] {
	if (rows.length === 0) return ["No request with its usage is in this log yet."];
	const columns = [
		{ title: by, shrink: true },
		{ title: "requests", align: "right" },
		{ title: "input", align: "right" },
		{ title: "cache read", align: "right" },
		{ title: "written", align: "right" },
		{ title: "output", align: "right" },
		{ title: "cost", align: "right" },
	] as const;
	const line = (name: string, sums: CostSums): string[] => [
		name,
		formatCount(sums.requests),
		formatKilo(sums.input),
		formatKilo(sums.cacheRead),
		formatKilo(sums.cacheWrite),
		formatKilo(sums.output),
		formatCost(sums),
	];
	const cells = rows.map((row) => line(by === "session" ? oneLine(shortSession(row.name)) : oneLine(row.name), row));
	const lines = renderRuled(style, columns, [...cells, ...(rows.length > 1 ? [line("all", total)] : [])]);
	const notes = [
		...(total.estimated ? ["~ the host gave no price: input at list prices, output not counted"] : []),
		...unknownNote(unknownModels),
		...unreportedNote(total),
		...(total.raised > 0
			? [`agents were told ${formatKilo(total.raised)} tokens that nobody used, to make them compact; not counted here`]
			: []),
	];
	return notes.length === 0 ? lines : [...lines, "", ...notes.map((note) => style.paint("dim", note))];
}

function unknownNote(models: readonly string[]): string[] {
	if (models.length === 0) return [];
	const shown = models.slice(0, MAX_SHOWN).map(oneLine).join(", ");
	const more = models.length > MAX_SHOWN ? ` and ${models.length - MAX_SHOWN} more` : "";
	return [
		`no list has the price of ${shown}${more}: $${UNKNOWN_PRICES.input} per million tokens were taken;`,
		`weft config set prices '["MODEL=INPUT/READ/WRITE"]' says what it is`,
	];
}

const MAX_SHOWN = 3;

export function unreportedNote({ unreported }: Pick<CostSums, "unreported">): string[] {
	if (unreported === 0) return [];
	return [`${plural(unreported, "request")} came back without usage; tokens and cost are not known for them`];
}

/** `$1.20`, or `~$1.20` where some of it is an estimate. */
export function formatCost({ dollars, estimated }: Pick<CostSums, "dollars" | "estimated">): string {
	return `${estimated ? "~" : ""}${formatDollars(dollars)}`;
}

function pricesFor({ model, prices }: PricedUsage): Prices {
	return pricesOf(model === "" ? undefined : model, prices);
}

function estimate(row: PricedUsage): number {
	const { input, cache_read, cache_write, cache_write_long } = row;
	const prices = pricesFor(row);
	return dollarsOf(
		costUnits({ read: cache_read, write: cache_write, writeLong: cache_write_long, input }, prices),
		prices,
	);
}

function nameOf(row: ProjectUsage, by: CostGroup): string {
	if (by === "day") return formatDay(row.hour * HOUR_MS);
	if (by === "agent") return row.host;
	if (by === "project") return row.project;
	return by === "session" ? row.session : row.model || "unknown";
}
