/**
 * What weft would have saved in sessions that ran without it, by their replays. A replay's two rows are estimates on one
 * basis, so the real cost is scaled by their ratio.
 */

import { formatCount, formatPercent, plural } from "../base/text/bytes.ts";
import { renderChart } from "../base/text/chart.ts";
import { formatDay } from "../base/text/time.ts";
import { wrapWords } from "../base/text/wrap.ts";
import { formatCost } from "./cost.ts";
import type { CostOfSession } from "./cost-parts.ts";
import { renderRuled, type TextStyle } from "./text-style.ts";

/** An hour of a session. */
export interface SavingHour {
	/** ms since the epoch. */
	readonly at: number;
	readonly paid: number;
	/** With weft. */
	readonly weft: number;
	/** Of weft. */
	readonly seals: number;
	/** By the agent. */
	readonly compactions: number;
}

/** Edits of files, and how many of them had their old text in the context. */
export interface HeldEdits {
	readonly of: number;
	readonly weft: number;
	readonly host: number;
}

export interface SessionSaving {
	readonly session: string;
	readonly agent: string;
	readonly project: string;
	/** The price of a token from the cache, as a share of plain input. */
	readonly read: number;
	readonly estimated: boolean;
	/** No list has the price of a model in it. */
	readonly assumed: boolean;
	readonly edits: HeldEdits;
	readonly hours: readonly SavingHour[];
}

interface ClassSaving {
	readonly read: number;
	readonly sessions: number;
	readonly paid: number;
	readonly weft: number;
	readonly assumed: boolean;
}

export interface HomeSaving {
	readonly sentence: string;
	readonly assumed: boolean;
	readonly paid: number;
	readonly weft: number;
	readonly edits: HeldEdits;
	/** By price class, the cheapest reads last. Their sums are `paid` and `weft`. */
	readonly classes: readonly ClassSaving[];
	/** The sum up to each hour, oldest first. */
	readonly soFar: readonly SavingHour[];
	readonly sessions: readonly {
		readonly session: string;
		readonly project: string;
		readonly paid: number;
		readonly weft: number;
	}[];
	/** Sessions without weft that cost money and were not replayed. */
	readonly left: number;
}

/** A longer session takes too long here: `weft replay` shows its progress. */
const MAX_REPLAYED_REQUESTS = 1_000;

/** The sessions whose replay says most: the dearest that ran without weft. */
export function sessionsToReplay(
	costs: readonly CostOfSession[],
	limit: number,
): { readonly chosen: readonly CostOfSession[]; readonly left: number } {
	const all = costs.filter(({ ranWithWeft, dollars }) => !ranWithWeft && dollars > 0);
	const chosen = all
		.filter(({ requests }) => requests <= MAX_REPLAYED_REQUESTS)
		.sort((one, other) => other.dollars - one.dollars || (one.session < other.session ? -1 : 1))
		.slice(0, limit);
	return { chosen, left: all.length - chosen.length };
}

/** Undefined: there is nothing to compare. */
export function sumSavings(all: readonly SessionSaving[], left: number, since = 0): HomeSaving | undefined {
	const savings = all
		.map((saving) => ({ ...saving, hours: saving.hours.filter(({ at }) => at >= since) }))
		.map((saving) => ({ saving, ...totalOf(saving.hours) }))
		.filter(({ paid }) => paid > 0);
	if (savings.length === 0) return undefined;
	const { paid, weft } = totalOf(savings);
	const edits = savings.reduce<HeldEdits>(
		(sum, { saving: { edits } }) => ({
			of: sum.of + edits.of,
			weft: sum.weft + edits.weft,
			host: sum.host + edits.host,
		}),
		{ of: 0, weft: 0, host: 0 },
	);
	const estimated = savings.some(({ saving }) => saving.estimated);
	const isAssumed = (some: typeof savings) => some.some(({ saving }) => saving.assumed);
	const assumed = isAssumed(savings);
	const subject =
		left > 0
			? `The ${plural(savings.length, "dearest session")} without weft`
			: plural(savings.length, "session without weft", "sessions without weft");
	return {
		sentence: savingSentence({
			subject: savings.length === 1 && left > 0 ? "The dearest session without weft" : subject,
			paid,
			weft,
			estimated,
			assumed,
			edits,
		}),
		assumed,
		paid,
		weft,
		edits,
		classes: [...Map.groupBy(savings, ({ saving }) => saving.read)]
			.map(([read, own]) => ({ read, sessions: own.length, ...totalOf(own), assumed: isAssumed(own) }))
			.sort((one, other) => other.read - one.read),
		soFar: soFar(savings.flatMap(({ saving }) => saving.hours)),
		sessions: savings.map(({ saving: { session, project }, ...sums }) => ({
			session,
			project,
			paid: sums.paid,
			weft: sums.weft,
		})),
		left,
	};
}

function totalOf(all: readonly { readonly paid: number; readonly weft: number }[]): { paid: number; weft: number } {
	return {
		paid: all.reduce((sum, each) => sum + each.paid, 0),
		weft: all.reduce((sum, each) => sum + each.weft, 0),
	};
}

function soFar(hours: readonly SavingHour[]): SavingHour[] {
	const sums = { paid: 0, weft: 0 };
	return [...Map.groupBy(hours, ({ at }) => at)]
		.sort(([one], [other]) => one - other)
		.map(([at, own]) => {
			const { paid, weft } = totalOf(own);
			sums.paid += paid;
			sums.weft += weft;
			const count = (key: "seals" | "compactions") => own.reduce((sum, each) => sum + each[key], 0);
			return { at, ...sums, seals: count("seals"), compactions: count("compactions") };
		});
}

/** "This session cost $22.19. With weft about $14.80, 33 % less; 52 of 54 edits still had their text before them …" */
export function savingSentence({
	subject,
	paid,
	weft,
	estimated,
	assumed,
	edits: { of, weft: held, host },
	isBilled = true,
}: {
	readonly subject: string;
	readonly paid: number;
	readonly weft: number;
	readonly estimated: boolean;
	readonly assumed: boolean;
	readonly edits: HeldEdits;
	/** False: no usage was reported, so that the cost is a replay's too. */
	readonly isBilled?: boolean;
}): string {
	const percent = Math.round(100 * Math.abs(1 - weft / paid));
	const less = percent === 0 ? "as much" : `${percent} % ${weft < paid ? "less" : "more"}`;
	const cost = isBilled ? "cost" : "would have cost about";
	const before = formatCost({ dollars: paid, estimated, assumed });
	const after = formatCost({ dollars: weft, estimated: false, assumed });
	const money = `${subject} ${cost} ${before}. With weft about ${after}, ${less}`;
	if (of === 0) return `${money}.`;
	return `${money}; ${formatCount(held)} of ${plural(of, "edit")} still had their text before them (the agent alone: ${formatCount(host)}).`;
}

const DEFAULT_WIDTH = 100;

export function* renderSaving(saving: HomeSaving, style: TextStyle): Generator<string> {
	const money = (dollars: number, assumed = saving.assumed) => formatCost({ dollars, estimated: true, assumed });
	yield* wrapWords(saving.sentence, style.columns, "");
	yield "";
	yield* renderRuled(
		style,
		[
			{ title: "a token read from the cache costs" },
			{ title: "sessions", align: "right" },
			{ title: "cost", align: "right" },
			{ title: "with weft", align: "right" },
			{ title: "saved", align: "right" },
		],
		saving.classes.map(({ read, sessions, paid, weft, assumed }) => [
			`${formatPercent(read)} of a plain one`,
			formatCount(sessions),
			money(paid, assumed),
			money(weft, assumed),
			formatPercent(1 - weft / paid),
		]),
	);
	const [first, last] = [saving.soFar[0], saving.soFar.at(-1)];
	if (!first || !last || saving.soFar.length < MIN_CHART_HOURS) return;
	yield "";
	yield style.paint("dim", "Money so far, by hours with requests (v: weft seals, ^: the agent compacts)");
	yield* renderChart(
		[
			{
				name: "agent",
				values: saving.soFar.map(({ paid }) => paid),
				end: money(last.paid),
				marks: saving.soFar.map(({ compactions }) => (compactions > 0 ? "^" : " ")),
			},
			{
				name: "with weft",
				values: saving.soFar.map(({ weft }) => weft),
				end: money(last.weft),
				marks: saving.soFar.map(({ seals }) => (seals > 0 ? "v" : " ")),
			},
		],
		{
			width: style.columns ?? DEFAULT_WIDTH,
			format: (dollars) => money(dollars),
			ends: [formatDay(first.at), formatDay(last.at)],
		},
	);
}

const MIN_CHART_HOURS = 3;
