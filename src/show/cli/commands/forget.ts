import { EngineError } from "../../../base/error/engine-error.ts";
import { findSession } from "../../../state/session/find-session.ts";
import { forgetProject, forgetSession, NO_ARCHIVE, renderForgotten } from "../../../view/forget.ts";
import { DRY_RUN } from "../../../view/upkeep.ts";
import type { Context } from "../context.ts";

export interface ForgetCommandOptions {
	readonly all?: boolean;
	/** False: `--no-archive`. */
	readonly archive?: string | boolean;
	readonly yes?: boolean;
}

export async function run(
	context: Context,
	[session]: readonly string[],
	options: ForgetCommandOptions,
): Promise<void> {
	const { out } = context;
	if ((session === undefined) === (options.all !== true)) {
		throw new EngineError("usage", "weft forget takes a SESSION, or --all for the whole project.");
	}
	const engine = context.openExisting();
	try {
		const { log, close } = engine;
		const archive = options.archive === false ? NO_ARCHIVE : (options.archive as string | undefined);
		const request = { now: context.now(), archive, apply: options.yes ?? false };
		const forgotten =
			session === undefined
				? await forgetProject(log, { ...request, close })
				: await forgetSession(log, findSession(log, session).session, request);
		if (out.json) return await out.document(forgotten);
		await out.lines(renderForgotten(forgotten));
		if (!forgotten.applied) out.talk(DRY_RUN);
		else if (session !== undefined && engine.settings["fleet.url"] !== null) {
			out.talk(`What the fleet has of it stays there: an owner removes it with 'weft fleet forget ${session}'.`);
		}
	} finally {
		engine.close();
	}
}
