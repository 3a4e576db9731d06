import { readPriceList } from "../../../base/tokens/price-file.ts";
import { listSessions } from "../../../state/session/find-session.ts";
import { type CostOfSession, costOfRequests } from "../../../view/cost-parts.ts";
import { renderReport, reportHome } from "../../../view/report.ts";
import type { Call, CommandResult } from "../frame.ts";
import { Progress } from "../progress.ts";

export async function run({ context, out, options: { since } }: Call<"report">): Promise<CommandResult> {
	const costs: CostOfSession[] = [];
	const progress = new Progress(out.progressStream);
	for (const engine of context.openAll()) {
		const prices = readPriceList(engine.settings.prices);
		const sessions = listSessions(engine.log).filter(({ last_ts }) => since === undefined || last_ts >= since);
		for (const each of sessions) {
			progress.show(() => `${costs.length} sessions read`);
			costs.push(costOfRequests(engine, each, prices, { since }));
		}
	}
	progress.clear();
	const report = reportHome(costs, since);
	return { data: report, lines: (to) => renderReport(report, to) };
}
