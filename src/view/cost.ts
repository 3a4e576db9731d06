/** Tokens and money by day, week, month, session, model, agent or project, with the provider's cache apart. */
import { formatCount, formatDollars, formatKilo, formatPercent, plural } from "../base/text/bytes.ts";
import { cutWithEllipsis } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatDay } from "../base/text/time.ts";
import { wrapWords } from "../base/text/wrap.ts";
import { type PriceList, UNKNOWN_PRICES } from "../base/tokens/prices.ts";
import type { CacheReport, PricedBreak } from "../context/cache/cache-report.ts";
import type { AskedAgain } from "../context/seal/reread-fold.ts";
import { type CostSums, isAssumed, type PricedUsage, sumUsage } from "../context/session-cost.ts";
import type { Log } from "../log/log.ts";
import { readUsage } from "../state/session/usage-fold.ts";
import { type COST_GROUPS, COST_SPANS, type CostMarks, markCost } from "./cost-words.ts";
import { type PlanWindows, renderPlanWindows } from "./plan-windows.ts";
import { shortSession } from "./short-session.ts";
import { renderPairs, renderRuled, type TextStyle } from "./text-style.ts";

type CostGroup = (typeof COST_GROUPS)[number];
type Span = (typeof COST_SPANS)[number];

export interface CostView {
	readonly by: CostGroup;
	readonly rows: readonly (CostSums & { readonly name: string })[];
	readonly total: CostSums;
	/** Models without a known price: a common price was assumed. */
	readonly unknownModels: readonly string[];
	/** Of subscriptions whose agents say it, as of their last answer. */
	readonly plans?: readonly PlanWindows[] | undefined;
}

interface CostOptions {
	readonly by: CostGroup;
	readonly session?: string | undefined;
	/** ms since the epoch. The log knows the hour of a request: those of the hour count. */
	readonly since?: number | undefined;
	readonly until?: number | undefined;
}

const HOUR_MS = 3_600_000;

/** With the project of their log. */
export interface ProjectUsage extends PricedUsage {
	readonly project: string;
}

export function viewCost(log: Log, options: CostOptions, prices?: PriceList): CostView {
	return sumCost(
		readUsage(log, { prices }).map((row) => ({ ...row, project: "", prices })),
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
	// Spans of time in order; everything else by cost.
	rows.sort((one, other) => (isSpan(by) ? (one.name < other.name ? -1 : 1) : other.dollars - one.dollars));
	const unknown = wanted.filter(isAssumed);
	return {
		by,
		rows,
		total: sumUsage(wanted),
		unknownModels: [...new Set(unknown.map(({ model }) => model || "unknown"))],
	};
}

export function renderCost({ by, rows, total, unknownModels, plans = [] }: CostView, style: TextStyle): string[] {
	if (rows.length === 0) return ["This log has no request with usage yet."];
	const columns = [
		{ title: by === "week" ? "week of" : by, shrink: true },
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
		...(total.estimated ? [ESTIMATED_NOTE] : []),
		...unknownNote(unknownModels),
		...unreportedNote(total),
		...(total.raised > 0
			? [
					`${formatKilo(total.raised)} tokens were reported to agents but not used, to make them compact; not counted here`,
				]
			: []),
		...plans.flatMap((plan) => [...wrapWords(renderPlanWindows(plan), style.columns, "  ")]),
	];
	return notes.length === 0 ? lines : [...lines, "", ...notes.map((note) => style.paint("dim", note))];
}

/** Below a table with `~`. */
export const ESTIMATED_NOTE = "~ the agent gave no price: at list prices ('weft prices')";

/** Below a table with `?`. */
export const ASSUMED_NOTE = `? no list has the price of a model in it: $${UNKNOWN_PRICES.input} per million tokens was assumed ('weft cost --by model' names it)`;

/** The same below several tables, after a gap. */
export function renderAssumedNote(style: TextStyle): string[] {
	const lines = [...wrapWords(ASSUMED_NOTE, style.columns, "  ")];
	return ["", ...lines.map((line) => style.paint("dim", line))];
}

function unknownNote(models: readonly string[]): string[] {
	if (models.length === 0) return [];
	const shown = models.slice(0, MAX_SHOWN).map(oneLine).join(", ");
	const more = models.length > MAX_SHOWN ? ` and ${models.length - MAX_SHOWN} more` : "";
	return [
		`? no list has the price of ${shown}${more}: $${UNKNOWN_PRICES.input} per million tokens was assumed;`,
		`weft config set prices '["MODEL=INPUT/READ/WRITE/OUTPUT"]' sets it, and 'weft prices FILE' takes over a list`,
	];
}

const MAX_SHOWN = 3;

export function unreportedNote({ unreported }: Pick<CostSums, "unreported">): string[] {
	if (unreported === 0) return [];
	return [`${plural(unreported, "request")} came back without usage; their tokens and cost are unknown`];
}

/** `$1.20`, with its marks. */
export function formatCost({ dollars, ...marks }: CostMarks & Pick<CostSums, "dollars">): string {
	return markCost(formatDollars(dollars), marks);
}

function nameOf(row: ProjectUsage, by: CostGroup): string {
	if (isSpan(by)) return nameSpan(row.hour * HOUR_MS, by);
	if (by === "agent") return row.host;
	if (by === "project") return row.project;
	return by === "session" ? row.session : row.model || "unknown";
}

function isSpan(by: CostGroup): by is Span {
	return (COST_SPANS as readonly CostGroup[]).includes(by);
}

/** In local time; a week by its Monday. */
function nameSpan(ms: number, by: Span): string {
	if (by === "month") return formatDay(ms).slice(0, 7);
	if (by === "day") return formatDay(ms);
	const at = new Date(ms);
	return formatDay(new Date(at.getFullYear(), at.getMonth(), at.getDate() - ((at.getDay() + 6) % 7), 12).getTime());
}

const ASSUMED = " (assumed: the model's price is unknown)";

/** Width of the longest name before a value, with the gap after it. */
const NAME_COLUMNS = 12;

/** What the agent missed soon after seals. */
export function askedAgain({ files, failed, tokens, seals }: AskedAgain): string {
	const missed = [
		...(files > 0 ? [plural(files, "file")] : []),
		...(failed > 0 ? [plural(failed, "failed edit")] : []),
		`~${formatCount(tokens)} tokens`,
	];
	return `${missed.join(", ")}, soon after ${plural(seals, "seal")}: the next seal waits longer`;
}

/**
 * How well the provider's cache held, and the cost where it did not. `breaks`: those of the report that are shown; `cost`: of
 * all its requests.
 */
export function* renderCache(
	report: CacheReport & { readonly readAgain: AskedAgain },
	breaks: readonly PricedBreak[],
	style: TextStyle,
	cost: Pick<CostSums, "dollars" | "estimated" | "assumed">,
	titleOf: (session: string) => string | undefined = () => undefined,
): Generator<string> {
	if (report.requests === 0) {
		yield "This log has no request to a model yet.";
		return;
	}
	const { read, write, input } = report.reported;
	const rows: (readonly [string, string])[] = [
		["requests", `${formatCount(report.requests)}, ${formatCount(report.answered)} with usage reported`],
		[
			"hit share",
			`${share(report.hitShare)}${report.predictedShare === null ? "" : ` (${share(report.predictedShare)} expected)`}`,
		],
		["tokens", `${formatCount(read)} read, ${formatCount(write)} written, ${formatCount(input)} plain`],
		["cost", `${formatCost(cost)}, output included${cost.assumed ? ASSUMED : ""}`],
		[
			"breaks",
			`${formatCount(report.changed)} by changed bytes (${formatCount(report.unexplained)} unexplained), ${missesOf(report)}`,
		],
		[
			"paid again",
			`${formatCount(report.lostTokens)} tokens, ${formatCount(report.lostUnits)} in units of plain input, about ${formatDollars(report.lostDollars)}${report.assumed ? ASSUMED : ""}`,
		],
		...(report.stepSavedUnits > 0
			? [
					[
						"saved",
						`${formatCount(report.stepSavedUnits)} in units of plain input, about $${report.stepSavedDollars.toFixed(4)}, by sealing before a longer prompt cost more per token`,
					] as const,
				]
			: []),
		...(report.readAgain.tokens > 0 ? [["read again", askedAgain(report.readAgain)] as const] : []),
	];
	for (const line of renderPairs(style, rows)) yield* wrapWords(line, style.columns, " ".repeat(NAME_COLUMNS));
	if (breaks.length === 0) return;
	yield "";
	const isOne = new Set(breaks.map(({ session }) => session)).size === 1;
	const hasByte = breaks.some(({ byte }) => byte !== null);
	const columns = [
		{ title: "event", align: "right" },
		...(isOne ? [] : [{ title: "session", shrink: true }]),
		{ title: "what" },
		...(hasByte ? ([{ title: "at byte", align: "right" }] as const) : []),
		{ title: "tokens", align: "right" },
		{ title: "price", align: "right" },
		{ title: "cause", shrink: true },
	] as const;
	yield* renderRuled(
		style,
		columns,
		breaks.map((each) => {
			const session = titleOf(each.session) ?? shortSession(each.session);
			return breakRow(each, { hasByte, session: isOne ? undefined : cutWithEllipsis(session, MAX_TITLE_CHARS) });
		}),
	);
}

/** By state; the ledger forgets the oldest of a long log. */
function missesOf({ missed, breaks }: CacheReport): string {
	const states = Map.groupBy(
		breaks.filter(({ kind }) => kind !== "changed"),
		({ state }) => state,
	);
	const words = [...states].map(([state, all]) => `${formatCount(all.length)} ${state}`);
	const told = [...states.values()].reduce((sum, all) => sum + all.length, 0);
	if (words.length > 0 && told < missed) words.push(`${formatCount(missed - told)} earlier`);
	return [plural(missed, "miss", "misses"), words.join(", ")].filter(Boolean).join(": ");
}

const MAX_TITLE_CHARS = 40;

function breakRow(
	each: PricedBreak,
	{ hasByte, session }: { readonly hasByte: boolean; readonly session: string | undefined },
): readonly string[] {
	return [
		String(each.seq),
		...(session === undefined ? [] : [oneLine(session)]),
		each.kind === "changed" ? `${each.segment ?? "?"} changed` : each.state,
		...(hasByte ? [each.byte === null ? "–" : formatCount(each.byte)] : []),
		formatCount(each.tokens),
		`~$${each.dollars.toFixed(4)}`,
		`${each.explained ? "" : "UNEXPLAINED: "}${oneLine(each.cause)}${each.stepSaved === undefined ? "" : `, ${formatCount(each.stepSaved)} units saved`}`,
	];
}

function share(value: number | null): string {
	return value === null ? "not reported" : formatPercent(value);
}
