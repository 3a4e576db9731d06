/** Sums over several recordings, and by host: a gain on one host may be no gain on another. */
import { type ExamReport, sumExams } from "./exam.ts";
import type { ModeReport } from "./mode-report.ts";
import { type ClassFigures, READ_CLASSES } from "./price-classes.ts";
import type { ReplayReport } from "./report.ts";
import { ROWS, type RowName } from "./requests.ts";
import { shareOf } from "./support.ts";

export interface ModeTotal {
	readonly sessions: number;
	readonly requests: number;
	readonly costUnits: number;
	readonly costUnits3k: number;
	readonly healedUnits3k: number;
	/** Cost divided by the cost of the host's own history; null: the host was not replayed. */
	readonly ofHost: number | null;
	readonly ofHost3k: number | null;
	readonly healedOfHost3k: number | null;
	/** `ofHost3k` of the single sessions. */
	readonly spread: { readonly best: number; readonly median: number; readonly worst: number } | null;
	readonly editSupport: number | null;
	readonly pathSupport: number | null;
	readonly termSupport: number | null;
	readonly editsAtHand: number | null;
	readonly editLines: number | null;
	readonly editsOfHost: number | null;
	/** How far single sessions differ, by figure. */
	readonly bySession: Readonly<Record<SessionFigure, SessionSpread | null>>;
	/** The exams of the sessions that have one. */
	readonly exam?: ExamReport | undefined;
}

/** `healed`: cost at 3k with missed edits read again, of the host's. The others are shares of what was looked for. */
export const SESSION_FIGURES = ["edits", "atHand", "terms", "healed"] as const;
export type SessionFigure = (typeof SESSION_FIGURES)[number];

export interface SessionSpread {
	/** Sessions that have the figure. */
	readonly sessions: number;
	readonly median: number;
	readonly worst: number;
	/** 95 % interval of the figure of all of them, as if the sessions had been drawn at random; null: only one session. */
	readonly interval: readonly [low: number, high: number] | null;
}

export type Totals = Readonly<Partial<Record<RowName, ModeTotal>>>;

/** `woven` at one price of reading, over the sessions that were replayed at it. */
export interface ClassTotal {
	readonly read: number;
	readonly sessions: number;
	readonly seals: number;
	readonly ofHost: number;
	readonly ofHost3k: number;
	readonly healedOfHost3k: number;
	readonly editSupport: number | null;
	readonly pathSupport: number | null;
	readonly termSupport: number | null;
}

export interface ReplayTotals {
	/** Empty: not asked for. */
	readonly classes: readonly ClassTotal[];
	readonly all: Totals;
	readonly byHost: Readonly<Record<string, Totals>>;
}

export function totalsOf(reports: readonly ReplayReport[]): ReplayTotals {
	const hosts = [...new Set(reports.map(({ host }) => host))].sort();
	return {
		classes: sumClasses(reports),
		all: sumUp(reports),
		byHost: Object.fromEntries(hosts.map((host) => [host, sumUp(reports.filter((report) => report.host === host))])),
	};
}

export function sumClasses(reports: readonly ReplayReport[]): ClassTotal[] {
	return READ_CLASSES.flatMap((read) => {
		const own = reports.flatMap(({ classes }) => classes.find((each) => each.read === read) ?? []);
		if (own.length === 0) return [];
		const sum = (row: "woven" | "host", of: (figures: ClassFigures) => number) =>
			own.reduce((all, each) => all + of(each[row]), 0);
		const share = (kind: keyof ClassFigures["support"]) =>
			shareOf([sum("woven", ({ support }) => support[kind][0]), sum("woven", ({ support }) => support[kind][1])]);
		const host3k = sum("host", ({ costUnits3k }) => costUnits3k);
		return [
			{
				read,
				sessions: own.length,
				seals: sum("woven", ({ seals }) => seals),
				ofHost: sum("woven", ({ costUnits }) => costUnits) / sum("host", ({ costUnits }) => costUnits),
				ofHost3k: sum("woven", ({ costUnits3k }) => costUnits3k) / host3k,
				healedOfHost3k: sum("woven", ({ healedUnits3k }) => healedUnits3k) / host3k,
				editSupport: share("edits"),
				pathSupport: share("paths"),
				termSupport: share("terms"),
			},
		];
	});
}

/** A row counts only the sessions that have it, also for its share of the host's cost. */
function sumUp(reports: readonly ReplayReport[]): Totals {
	const totals: Partial<Record<RowName, ModeTotal>> = {};
	for (const row of ROWS) {
		const own = reports.filter(({ modes }) => modes[row] !== undefined);
		if (own.length > 0) totals[row] = totalOf(own, row);
	}
	return totals;
}

function totalOf(reports: readonly ReplayReport[], row: RowName): ModeTotal {
	const sum = (of: (mode: ModeReport) => number, name = row) =>
		reports.reduce((all, { modes }) => all + (modes[name] ? of(modes[name]) : 0), 0);
	const isCompared = reports.every(({ modes }) => (modes.host?.costUnits ?? 0) > 0);
	const ofHost = (units: number, host: (mode: ModeReport) => number) => (isCompared ? units / sum(host, "host") : null);
	const [costUnits, costUnits3k, healedUnits3k] = [
		sum((mode) => mode.costUnits),
		sum((mode) => mode.costUnits3k),
		sum((mode) => mode.healedUnits3k),
	];
	const share = (kind: keyof ModeReport["support"]) =>
		shareOf([sum(({ support }) => support[kind][0]), sum(({ support }) => support[kind][1])]);
	const counts = (kind: "edits" | "atHand" | "terms") =>
		reports.flatMap(({ modes }) => (modes[row] ? [modes[row].support[kind]] : []));
	const healed = reports.flatMap(({ modes }): Ratio[] =>
		modes[row] && modes.host ? [[modes[row].healedUnits3k, modes.host.costUnits3k]] : [],
	);
	const exam = sumExams(reports.flatMap((report) => report.exam?.[row] ?? []));
	return {
		sessions: reports.length,
		requests: sum(({ requests }) => requests),
		costUnits,
		costUnits3k,
		healedUnits3k,
		ofHost: ofHost(costUnits, (host) => host.costUnits),
		ofHost3k: ofHost(costUnits3k, (host) => host.costUnits3k),
		healedOfHost3k: ofHost(healedUnits3k, (host) => host.costUnits3k),
		spread: isCompared ? spreadOf(reports.flatMap(({ modes }) => ratioOf(modes[row], modes.host))) : null,
		editSupport: share("edits"),
		pathSupport: share("paths"),
		termSupport: share("terms"),
		editsAtHand: share("atHand"),
		editLines: share("lines"),
		editsOfHost: share("ofHost"),
		bySession: {
			edits: spreadBySession(counts("edits"), Math.min),
			atHand: spreadBySession(counts("atHand"), Math.min),
			terms: spreadBySession(counts("terms"), Math.min),
			healed: isCompared ? spreadBySession(healed, Math.max) : null,
		},
		...(exam ? { exam } : {}),
	};
}

type Ratio = readonly [part: number, of: number];

/** The interval is that of a ratio of sums over clusters, by its linear approximation: no sampling, the same each time. */
function spreadBySession(
	ratios: readonly Ratio[],
	worstOf: (...shares: readonly number[]) => number,
): SessionSpread | null {
	const own = ratios.filter(([, of]) => of > 0);
	const shares = own.map(([part, of]) => part / of);
	const median = medianOf(shares);
	if (median === undefined) return null;
	const total = own.reduce((sum, [, of]) => sum + of, 0);
	const share = own.reduce((sum, [part]) => sum + part, 0) / total;
	const squares = own.reduce((sum, [part, of]) => sum + (part - share * of) ** 2, 0);
	const away = (1.96 * Math.sqrt((squares * own.length) / (own.length - 1))) / total;
	const most = worstOf === Math.min ? 1 : Number.POSITIVE_INFINITY;
	return {
		sessions: own.length,
		median,
		worst: worstOf(...shares),
		interval: own.length < 2 ? null : [Math.max(0, share - away), Math.min(most, share + away)],
	};
}

function medianOf(values: readonly number[]): number | undefined {
	const sorted = values.toSorted((one, other) => one - other);
	const middle = sorted.length / 2;
	// The same element twice where their number is odd.
	const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
	return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

function ratioOf(mode: ModeReport | undefined, host: ModeReport | undefined): number[] {
	return mode && host ? [mode.costUnits3k / host.costUnits3k] : [];
}

function spreadOf(shares: readonly number[]): ModeTotal["spread"] {
	const sorted = shares.toSorted((one, other) => one - other);
	const median = medianOf(sorted);
	const [best, worst] = [sorted[0], sorted.at(-1)];
	if (median === undefined || best === undefined || worst === undefined) return null;
	return { best, median, worst };
}
