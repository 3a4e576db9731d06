import { EngineError } from "../../../base/error/engine-error.ts";
import { findSession } from "../../../state/session/find-session.ts";
import { forgetProject, forgetSession, NO_ARCHIVE, renderForgotten } from "../../../view/forget.ts";
import { DRY_RUN } from "../../../view/pruning.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";

export function check({ args: [session], options }: CheckCall<"forget">): void {
	if ((session === undefined) !== options.all)
		throw new EngineError("usage", "weft forget takes a SESSION, or --all for the whole project.");
}

export async function run({ context, engine, args: [session], options }: Call<"forget">): Promise<CommandResult> {
	const { log, close, settings } = engine;
	const archive = options.noArchive ? NO_ARCHIVE : options.archive;
	const request = { now: context.now(), archive, apply: options.yes };
	const forgotten =
		session === undefined
			? await forgetProject(log, { ...request, close })
			: await forgetSession(log, findSession(log, session).session, request);
	const inFleet = `The fleet keeps its copy: an owner removes it with 'weft fleet forget ${session}'.`;
	const isShipped = session !== undefined && settings["fleet.url"] !== null;
	return {
		data: forgotten,
		lines: () => renderForgotten(forgotten),
		remarks: !forgotten.applied ? [DRY_RUN] : isShipped ? [inFleet] : [],
	};
}
