import { COST_GROUPS, renderCost, viewCost } from "../../view/cost.ts";
import { findSession } from "../../view/session.ts";
import { oneOf, pointInTime } from "../arguments.ts";
import type { Context } from "../context.ts";

export interface CostCommandOptions {
	readonly by?: string;
	readonly session?: string;
	readonly since?: string;
	readonly until?: string;
}

export async function run(context: Context, _args: readonly string[], options: CostCommandOptions): Promise<void> {
	const { out } = context;
	const now = context.now();
	const by = oneOf("--by", options.by, COST_GROUPS) ?? "day";
	const since = pointInTime("--since", options.since, now);
	const until = pointInTime("--until", options.until, now);
	const engine = context.openExisting();
	try {
		const session = options.session === undefined ? undefined : findSession(engine.log, options.session).session;
		const view = viewCost(engine.log, { by, session, since, until });
		if (out.json) return await out.document(view);
		await out.lines(renderCost(view, out));
	} finally {
		engine.close();
	}
}
