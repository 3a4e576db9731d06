import { type CacheReport, type PricedBreak, reportCache } from "../../context/cache/cache-report.ts";
import { ledgerFold } from "../../context/cache/ledger.ts";
import { formatCount, plural } from "../../text/bytes.ts";
import { formatDollars, formatPercent } from "../../text/number.ts";
import { oneLine } from "../../text/printable.ts";
import { renderTable } from "../../text/table.ts";
import { pricesOf } from "../../tokens/prices.ts";
import { findSession, shortSession } from "../../view/session.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";

const DEFAULT_LIMIT = 20;

export interface CacheOptions {
	readonly session?: string;
	readonly limit?: string;
}

export async function run(context: Context, _args: readonly string[], options: CacheOptions): Promise<void> {
	const limit = wholeNumber("--limit", options.limit) ?? DEFAULT_LIMIT;
	const engine = context.openExisting();
	try {
		const { log } = engine;
		const given = options.session;
		const session = given === undefined ? undefined : findSession(log, given).session;
		const state = ledgerFold.initial();
		for (const record of log.read({ types: ["Request", "Message"], session })) ledgerFold.step(state, record);
		const report = reportCache(state, (model) => pricesOf(model));
		const breaks = report.breaks.slice(0, limit === 0 ? report.breaks.length : limit);
		if (context.out.json) return await context.out.document({ ...report, breaks });
		await context.out.lines(lines(context, report, breaks));
	} finally {
		engine.close();
	}
}

function* lines({ out }: Context, report: CacheReport, breaks: readonly PricedBreak[]): Generator<string> {
	if (report.requests === 0) {
		yield "No request to a model is in this log yet.";
		return;
	}
	const bold = (cell: string): string => out.paint("bold", cell);
	const { read, write, input } = report.reported;
	const rows = [
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
			`${formatCount(report.lostTokens)} tokens, ${formatCount(report.lostUnits)} in units of plain input, about ${formatDollars(report.lostDollars)}`,
		],
	];
	yield* renderTable([{ title: "", paint: bold }, { title: "" }], rows, { style: "bare" });
	if (breaks.length === 0) return;
	yield "";
	const columns = [
		{ title: "event", align: "right" },
		{ title: "session" },
		{ title: "what" },
		{ title: "at byte", align: "right" },
		{ title: "tokens", align: "right" },
		{ title: "price", align: "right" },
		{ title: "cause", shrink: true },
	] as const;
	const paintHead = (text: string): string => out.paint("dim", text);
	yield* renderTable(columns, breaks.map(breakRow), { style: "ruled", width: out.columns, paintHead });
}

function breakRow(each: PricedBreak): readonly string[] {
	return [
		String(each.seq),
		oneLine(shortSession(each.session)),
		each.kind === "changed" ? `${each.segment ?? "?"} changed` : "missed",
		each.byte === null ? "-" : formatCount(each.byte),
		formatCount(each.tokens),
		`$${each.dollars.toFixed(4)}`,
		`${each.explained ? "" : "UNEXPLAINED: "}${oneLine(each.cause)}`,
	];
}

function share(value: number | null): string {
	return value === null ? "not reported" : formatPercent(value);
}
