import { DEFAULT_WINDOW_TOKENS } from "../../../base/tokens/assumed.ts";
import { readPriceList } from "../../../base/tokens/prices.ts";
import { knownPrices } from "../../../context/cache/reported-fold.ts";
import { SessionSavings } from "../../../context/session-savings.ts";
import type { Engine } from "../../../engine.ts";
import type { SessionState } from "../../../state/session/session-state.ts";
import { renderSessions, type SessionLine, type SessionsOptions, viewSessions } from "../../../view/sessions.ts";
import type { Context } from "../context.ts";

export interface SessionsCommandOptions {
	readonly all?: boolean;
}

export async function run(
	context: Context,
	_args: readonly string[] = [],
	options: SessionsCommandOptions = {},
): Promise<void> {
	const { out } = context;
	if (options.all) {
		const sessions: SessionLine[] = [];
		for (const engine of context.openAll()) sessions.push(...ofProject(engine));
		sessions.sort((one, other) => other.last - one.last);
		if (out.json) return await out.document({ sessions });
		return await out.lines(renderSessions(sessions, out));
	}
	const engine = context.openExisting();
	try {
		const sessions = viewSessions(engine.log, optionsFor(engine));
		if (out.json) return await out.document({ sessions });
		await out.lines(renderSessions(sessions, out));
	} finally {
		engine.close();
	}
}

function ofProject(engine: Engine): SessionLine[] {
	const project = engine.project.root;
	return viewSessions(engine.log, optionsFor(engine)).map((line) => ({
		...line,
		project,
	}));
}

function optionsFor(engine: Engine): SessionsOptions {
	return { savedIn: (session) => savedIn(engine, session), prices: readPriceList(engine.settings.prices) };
}

/** At the prices of the host's own list, as the status line in the host: a free model saves no money. */
function savedIn(engine: Engine, { session, host }: SessionState): number | undefined {
	const { log, history, settings } = engine;
	const [request] = log.read({ session, host, types: ["Request"], limit: 1 });
	// A request that the host made without us saved nothing.
	if (!request || request.payload["mode"] === "host") return undefined;
	const of = { session, host };
	const { reported } = engine.state().state;
	const prices = (model: string | undefined) => knownPrices(reported, host, model, readPriceList(settings.prices));
	return new SessionSavings(log, history.tree, of, prices).dollars(history.tree.tip(of), DEFAULT_WINDOW_TOKENS);
}
