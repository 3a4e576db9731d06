/** How well the provider's cache held, and the cost where it did not. */

import { formatCount, plural } from "../base/text/bytes.ts";
import { formatDollars, formatPercent } from "../base/text/number.ts";
import { oneLine } from "../base/text/printable.ts";
import { wrapWords } from "../base/text/wrap.ts";
import type { CacheReport, PricedBreak } from "../context/cache/cache-report.ts";
import { shortSession } from "./short-session.ts";
import { renderPairs, renderRuled, type TextStyle } from "./text-style.ts";

/** Width of the longest name before a value, with the gap after it. */
const NAME_COLUMNS = 12;

/** `breaks`: those of the report that are shown. */
export function* renderCache(report: CacheReport, breaks: readonly PricedBreak[], style: TextStyle): Generator<string> {
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
		[
			"breaks",
			`${formatCount(report.changed)} by changed bytes (${formatCount(report.unexplained)} unexplained), ${plural(report.missed, "miss", "misses")} of the provider`,
		],
		[
			"paid again",
			`${formatCount(report.lostTokens)} tokens, ${formatCount(report.lostUnits)} in units of plain input, about ${formatDollars(report.lostDollars)}${report.assumed ? " (assumed: the model's price is unknown)" : ""}`,
		],
	];
	for (const line of renderPairs(style, rows)) yield* wrapWords(line, style.columns, " ".repeat(NAME_COLUMNS));
	if (breaks.length === 0) return;
	yield "";
	const isOne = new Set(breaks.map(({ session }) => session)).size === 1;
	const hasByte = breaks.some(({ byte }) => byte !== null);
	const columns = [
		{ title: "event", align: "right" },
		...(isOne ? [] : [{ title: "session" }]),
		{ title: "what" },
		...(hasByte ? ([{ title: "at byte", align: "right" }] as const) : []),
		{ title: "tokens", align: "right" },
		{ title: "price", align: "right" },
		{ title: "cause", shrink: true },
	] as const;
	yield* renderRuled(
		style,
		columns,
		breaks.map((each) => breakRow(each, { hasByte, hasSession: !isOne })),
	);
}

function breakRow(
	each: PricedBreak,
	{ hasByte, hasSession }: { readonly hasByte: boolean; readonly hasSession: boolean },
): readonly string[] {
	return [
		String(each.seq),
		...(hasSession ? [oneLine(shortSession(each.session))] : []),
		each.kind === "changed" ? `${each.segment ?? "?"} changed` : "missed",
		...(hasByte ? [each.byte === null ? "–" : formatCount(each.byte)] : []),
		formatCount(each.tokens),
		`$${each.dollars.toFixed(4)}`,
		`${each.explained ? "" : "UNEXPLAINED: "}${oneLine(each.cause)}`,
	];
}

function share(value: number | null): string {
	return value === null ? "not reported" : formatPercent(value);
}
