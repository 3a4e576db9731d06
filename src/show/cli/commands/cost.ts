import { EngineError } from "../../../base/error/engine-error.ts";
import { readPriceList } from "../../../base/tokens/prices.ts";
import { findNamedSession, sessionsNamed } from "../../../state/session/find-session.ts";
import { listSessions } from "../../../state/session/sessions.ts";
import { type AnswersSeen, readUsage } from "../../../state/session/usage-fold.ts";
import { type CostView, type ProjectUsage, renderCost, sumCost, viewCost } from "../../../view/cost.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";

export function check({ options: { by, all } }: CheckCall<"cost">): void {
	if (by === "project" && !all) throw new EngineError("usage", "--by project compares projects: use it with --all.");
}

export async function run(call: Call<"cost">): Promise<CommandResult> {
	const view = call.options.all ? costOfAll(call) : await costHere(call);
	return { data: view, lines: (out) => renderCost(view, out) };
}

function costHere({ context, options: { by, session, since, until } }: Call<"cost">): Promise<CostView> {
	return context.withLog(({ log, settings }) => {
		const of = findNamedSession(log, session)?.session;
		return viewCost(log, { by, session: of, since, until }, readPriceList(settings.prices));
	});
}

function costOfAll({ context, options: { by, session, since, until } }: Call<"cost">): CostView {
	const usage: ProjectUsage[] = [];
	const seen: AnswersSeen = new Set();
	for (const { log, project, settings } of context.openAll()) {
		const of =
			session === undefined
				? undefined
				: new Set(sessionsNamed(listSessions(log), session).map((each) => each.session));
		const prices = readPriceList(settings.prices);
		for (const row of readUsage(log, seen)) {
			if (of === undefined || of.has(row.session)) usage.push({ ...row, project: project.root, prices });
		}
	}
	return sumCost(usage, { by, since, until });
}
