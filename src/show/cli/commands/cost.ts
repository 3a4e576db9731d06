import { EngineError } from "../../../base/error/engine-error.ts";
import { readPriceList } from "../../../base/tokens/prices.ts";
import type { Log } from "../../../log/log.ts";
import { findSession } from "../../../state/session/find-session.ts";
import { listSessions } from "../../../state/session/sessions.ts";
import { type AnswersSeen, readUsage } from "../../../state/session/usage-fold.ts";
import { COST_GROUPS, type ProjectUsage, renderCost, sumCost, viewCost } from "../../../view/cost.ts";
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
		const seen: AnswersSeen = new Set();
		for (const { log, project, settings } of context.openAll()) {
			const of = options.session === undefined ? undefined : findSessions(log, options.session);
			const prices = readPriceList(settings.prices);
			for (const row of readUsage(log, seen)) {
				if (of === undefined || of.has(row.session)) usage.push({ ...row, project: project.root, prices });
			}
		}
		const view = sumCost(usage, { by, since, until });
		if (out.json) return await out.document(view);
		return await out.lines(renderCost(view, out));
	}
	if (by === "project") throw new EngineError("usage", "--by project compares projects: use it with --all.");
	const engine = context.openExisting();
	try {
		const session = options.session === undefined ? undefined : findSession(engine.log, options.session).session;
		const view = viewCost(engine.log, { by, session, since, until }, readPriceList(engine.settings.prices));
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
