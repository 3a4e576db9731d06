import { readPriceList } from "../../../base/tokens/price-file.ts";
import { knownSaving, replaySaving } from "../../../replay/session-saving.ts";
import { listSessions } from "../../../state/session/find-session.ts";
import { type CostOfSession, costOfRequests } from "../../../view/cost-parts.ts";
import { type HomeReport, renderReport, reportHome } from "../../../view/report.ts";
import { type HomeSaving, type SessionSaving, sessionsToReplay, sumSavings } from "../../../view/saving.ts";
import type { Context } from "../context.ts";
import type { Call, CommandResult } from "../frame.ts";
import { Progress } from "../progress.ts";

export async function run({ context, options: { since, replay } }: Call<"report">): Promise<CommandResult> {
	const report = await readReport(context, { since, replay });
	return { data: report, lines: (to) => renderReport(report, to) };
}

interface ReportFlags {
	readonly since?: number | undefined;
	/** How many sessions are replayed at most. */
	readonly replay: number;
}

/** Shows its progress. */
export async function readReport(context: Context, { since, replay }: ReportFlags): Promise<HomeReport> {
	const progress = new Progress(context.out.progressStream);
	try {
		const costs: CostOfSession[] = [];
		for (const engine of context.openAll()) {
			const prices = readPriceList(engine.settings.prices);
			const sessions = listSessions(engine.log).filter(({ last_ts }) => since === undefined || last_ts >= since);
			for (const each of sessions) {
				progress.show(() => `${costs.length} sessions read`);
				costs.push(costOfRequests(engine, each, prices, { since }));
			}
		}
		const saving = replay > 0 ? await readSaving(context, costs, { since, replay }, progress) : undefined;
		return reportHome(costs, since, saving);
	} finally {
		progress.clear();
	}
}

async function readSaving(
	context: Context,
	costs: readonly CostOfSession[],
	{ since, replay }: ReportFlags,
	progress: Progress,
): Promise<HomeSaving | undefined> {
	const { chosen, left } = sessionsToReplay(costs, replay);
	const savings: SessionSaving[] = [];
	let done = 0;
	for (const [project, own] of Map.groupBy(chosen, (each) => each.project)) {
		const engine = context.openProject(project);
		try {
			for (const { session, agent } of own) {
				const of = listSessions(engine.log).find((each) => each.session === session && each.host === agent);
				const words = (request: number, total: number) =>
					`Replaying session ${done + 1} of ${chosen.length}, to see what weft would have saved: request ${request} of ${total}`;
				const known = of && knownSaving(engine, of);
				const saving =
					of && known === undefined
						? await replaySaving(engine, of, (_, request, total) => progress.show(() => words(request, total)))
						: known;
				if (saving) savings.push(saving);
				done++;
			}
		} finally {
			engine.close();
		}
	}
	// In the order of the costs, not of the projects.
	const order = new Map(chosen.map(({ session, project }, at) => [`${project} ${session}`, at]));
	const place = ({ project, session }: SessionSaving) => order.get(`${project} ${session}`) ?? 0;
	return sumSavings(
		savings.sort((one, other) => place(one) - place(other)),
		left,
		since,
	);
}
