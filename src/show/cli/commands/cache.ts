import { readPriceList } from "../../../base/tokens/prices.ts";
import { reportCache } from "../../../context/cache/cache-report.ts";
import { ledgerFold } from "../../../context/cache/ledger.ts";
import { SessionPrices } from "../../../context/session-prices.ts";
import { findSession } from "../../../state/session/find-session.ts";
import { renderCache } from "../../../view/cache.ts";
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
		const prices = new SessionPrices(readPriceList(engine.settings.prices));
		for (const record of log.read({ types: ["Request", "Message"], session })) {
			ledgerFold.step(state, record);
			if (record.type === "Message") prices.take(record);
		}
		const report = reportCache(state, (model) => prices.of(model));
		const breaks = report.breaks.slice(0, limit === 0 ? report.breaks.length : limit);
		if (context.out.json) return await context.out.document({ ...report, breaks });
		await context.out.lines(renderCache(report, breaks, context.out));
	} finally {
		engine.close();
	}
}
