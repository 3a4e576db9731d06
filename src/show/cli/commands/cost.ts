import { EngineError } from "../../../base/error/engine-error.ts";
import { readPriceList } from "../../../base/tokens/price-file.ts";
import { reportCache } from "../../../context/cache/cache-report.ts";
import { ledgerFold, noteCompaction } from "../../../context/cache/ledger.ts";
import { readAgain, rereadFold } from "../../../context/seal/reread-fold.ts";
import { SessionPrices } from "../../../context/session-prices.ts";
import type { Engine } from "../../../engine.ts";
import {
	agentSessions,
	findNamedSession,
	listSessions,
	sessionsNamed,
	withSideChains,
} from "../../../state/session/find-session.ts";
import type { SessionState } from "../../../state/session/session-state.ts";
import { type AnswersSeen, readUsage } from "../../../state/session/usage-fold.ts";
import { type CostView, type ProjectUsage, renderCache, renderCost, sumCost, viewCost } from "../../../view/cost.ts";
import { type CostOfSession, type CostWhy, costOfRequests, renderCostWhy, sumCosts } from "../../../view/cost-parts.ts";
import { type PlanWindows, readPlanWindows } from "../../../view/plan-windows.ts";
import { renderStats, viewStats } from "../../../view/stats.ts";
import type { Call, CommandModule } from "../frame.ts";
import { withLogOf, withNamedSession } from "../named-session.ts";

export const costCommand: CommandModule<"cost"> = {
	check({ options: { by, all } }) {
		if (by === "project" && !all) throw new EngineError("usage", "--by project compares projects: use it with --all.");
	},
	async run(call) {
		if (call.options.why) {
			const why = await costWhy(call);
			return { data: why, lines: (out) => renderCostWhy(why, out) };
		}
		const view = call.options.all ? costOfAll(call) : await costHere(call);
		return { data: view, lines: (out) => renderCost(view, out) };
	},
};

async function costWhy({ context, options: { session, since, until, all } }: Call<"cost">): Promise<CostWhy> {
	const costs: CostOfSession[] = [];
	const read = (engine: Engine, of: readonly SessionState[]) => {
		const prices = readPriceList(engine.settings.prices);
		costs.push(...of.map((each) => costOfRequests(engine, each, prices, { since, until })));
	};
	if (session !== undefined && !all) {
		await withNamedSession(context, session, (engine, { session: id }) => {
			const family = new Set(withSideChains(engine.log, id));
			read(
				engine,
				listSessions(engine.log).filter((each) => family.has(each.session)),
			);
		});
		return sumCosts(costs, "This session");
	}
	const isActive = ({ last_ts }: SessionState) => since === undefined || last_ts >= since;
	if (all) for (const engine of context.openAll()) read(engine, listSessions(engine.log).filter(isActive));
	else await context.withLog((engine) => read(engine, listSessions(engine.log).filter(isActive)));
	return sumCosts(costs, all ? "All projects together" : "This project");
}

function costHere({ context, options: { by, session, since, until } }: Call<"cost">): Promise<CostView> {
	return withLogOf(context, session, ({ log, settings }) => {
		const of = findNamedSession(log, session)?.session;
		const view = viewCost(log, { by, session: of, since, until }, readPriceList(settings.prices));
		return { ...view, plans: newestPlans([readPlanWindows(log)]) };
	});
}

function costOfAll({ context, options: { by, session, since, until } }: Call<"cost">): CostView {
	const usage: ProjectUsage[] = [];
	const seen: AnswersSeen = new Set();
	const plans: (PlanWindows | undefined)[] = [];
	for (const { log, project, settings } of context.openAll()) {
		plans.push(readPlanWindows(log));
		const of =
			session === undefined
				? undefined
				: new Set(sessionsNamed(listSessions(log), session).map((each) => each.session));
		const prices = readPriceList(settings.prices);
		for (const row of readUsage(log, { seen, prices })) {
			if (of === undefined || of.has(row.session)) usage.push({ ...row, project: project.root, prices });
		}
	}
	return { ...sumCost(usage, { by, since, until }), plans: newestPlans(plans) };
}

/** A plan is the user's, whatever the project: the newest word on it counts. */
function newestPlans(found: readonly (PlanWindows | undefined)[]): PlanWindows[] {
	const known = found.filter((plans) => plans !== undefined);
	return known.sort((one, other) => other.ts - one.ts).slice(0, 1);
}

/** Requests and answers for the cache, seals and reads for the text that had to be read again. */
const CACHE_TYPES = [
	"Request",
	"Message",
	"Seal",
	"UsageRaised",
	"FileRead",
	"FileChanged",
	"ToolCalled",
	"ToolResult",
] as const;

export const cacheCommand: CommandModule<"cache"> = {
	run({ engine, options }) {
		const session = findNamedSession(engine.log, options.session)?.session;
		const state = ledgerFold.initial();
		const rereads = rereadFold.initial();
		const listed = readPriceList(engine.settings.prices);
		const prices = new SessionPrices(listed);
		engine.history.catchUp();
		const compactions = engine.history.tree.compactions();
		for (const record of engine.log.read({ types: CACHE_TYPES, session })) {
			for (let next = compactions[0]; next && next.seq < record.seq; next = compactions[0]) {
				compactions.shift();
				if (session === undefined || next.session === session) noteCompaction(state, next);
			}
			ledgerFold.step(state, record);
			rereadFold.step(rereads, record);
			if (record.type === "Message") prices.take(record);
		}
		const report = reportCache(state, (model, at) => prices.of(model, at));
		const breaks = report.breaks.slice(0, options.limit === 0 ? report.breaks.length : options.limit);
		const cost = viewCost(engine.log, { by: "session", session }, listed).total;
		const { dollars, estimated } = cost;
		const again = readAgain(rereads);
		const assumed = report.assumed || cost.assumed;
		const data = { ...report, assumed, dollars, estimated, readAgain: again, breaks };
		const titles = new Map(agentSessions(engine.log).map(({ session, title }) => [session, title ?? undefined]));
		const titleOf = (of: string) => titles.get(of);
		return { data, lines: (out) => renderCache({ ...report, readAgain: again }, breaks, out, cost, titleOf) };
	},
};

export const statsCommand: CommandModule<"stats"> = {
	run({ engine }) {
		const stats = viewStats(engine.log, engine.history);
		return { data: stats, lines: (out) => renderStats(stats, out) };
	},
};
