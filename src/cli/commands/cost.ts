import { EngineError } from "../../error/engine-error.ts";
import type { Log } from "../../log/log.ts";
import { findSession } from "../../session/find-session.ts";
import { listSessions } from "../../session/fold.ts";
import { readUsage } from "../../session/usage-fold.ts";
import { type Prices, readPriceList } from "../../tokens/prices.ts";
import { COST_GROUPS, type ProjectUsage, renderCost, sumCost, viewCost } from "../../view/cost.ts";
import { oneOf, pointInTime } from "../arguments.ts";
import type { Context } from "../context.ts";

export interface CostCommandOptions {
	readonly by?: string;
	readonly session?: string;
	readonly since?: string;
	readonly until?: string;
	readonly all?: boolean;
}

export async function run(context: Context, _args: readonly string[], options: CostCommandOptions): Promise<void> {
	const { out } = context;
	const now = context.now();
	const by = oneOf("--by", options.by, COST_GROUPS) ?? "day";
	const since = pointInTime("--since", options.since, now);
	const until = pointInTime("--until", options.until, now);
	if (options.all) {
		const usage: ProjectUsage[] = [];
		const listed: Record<string, Prices> = {};
		for (const { log, project, settings } of context.openAll()) {
			Object.assign(listed, readPriceList(settings.prices));
			const of = options.session === undefined ? undefined : findSessions(log, options.session);
			for (const row of readUsage(log)) {
				if (of === undefined || of.has(row.session)) usage.push({ ...row, project: project.root });
			}
		}
		const view = sumCost(usage, { by, since, until, listed });
		if (out.json) return await out.document(view);
		return await out.lines(renderCost(view, out));
	}
	if (by === "project") throw new EngineError("usage", "--by project compares projects: use it with --all.");
	const engine = context.openExisting();
	try {
		const session = options.session === undefined ? undefined : findSession(engine.log, options.session).session;
		const listed = readPriceList(engine.settings.prices);
		const view = viewCost(engine.log, { by, session, since, until, listed });
		if (out.json) return await out.document(view);
		await out.lines(renderCost(view, out));
	} finally {
		engine.close();
	}
}

/** Those whose id begins so; in most projects there is none. */
function findSessions(log: Log, start: string): ReadonlySet<string> {
	return new Set(listSessions(log).flatMap(({ session }) => (session.startsWith(start) ? [session] : [])));
}
