import { readPriceList } from "../../../base/tokens/prices.ts";
import { reportCache } from "../../../context/cache/cache-report.ts";
import { ledgerFold } from "../../../context/cache/ledger.ts";
import { SessionPrices } from "../../../context/session-prices.ts";
import { findNamedSession } from "../../../state/session/find-session.ts";
import { renderCache } from "../../../view/cache.ts";
import type { Call, CommandResult } from "../frame.ts";

export function run({ engine, options }: Call<"cache">): CommandResult {
	const session = findNamedSession(engine.log, options.session)?.session;
	const state = ledgerFold.initial();
	const prices = new SessionPrices(readPriceList(engine.settings.prices));
	for (const record of engine.log.read({ types: ["Request", "Message"], session })) {
		ledgerFold.step(state, record);
		if (record.type === "Message") prices.take(record);
	}
	const report = reportCache(state, (model) => prices.of(model));
	const breaks = report.breaks.slice(0, options.limit === 0 ? report.breaks.length : options.limit);
	return { data: { ...report, breaks }, lines: (out) => renderCache(report, breaks, out) };
}
