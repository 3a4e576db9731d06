import { readPriceList } from "../../../base/tokens/price-file.ts";
import { DEFAULT_WINDOW_TOKENS } from "../../../base/tokens/prices.ts";
import { knownPrices } from "../../../context/cache/reported-fold.ts";
import { SessionSavings } from "../../../context/session-savings.ts";
import type { Engine } from "../../../engine.ts";
import type { SessionState } from "../../../state/session/session-state.ts";
import { renderSessions, selectSessions } from "../../../view/session-list.ts";
import { type SessionLine, viewSessions } from "../../../view/sessions.ts";
import type { Context } from "../context.ts";
import type { Call, CommandResult } from "../frame.ts";

export async function run({ context, options }: Call<"sessions">): Promise<CommandResult> {
	const all = options.all ? sessionsOfAll(context) : await context.withLog(sessionsOf);
	const { agent, since, limit, sort } = options;
	const list = selectSessions(all, { agent, since, limit, order: sort });
	return { data: list, lines: (out) => renderSessions(list, out) };
}

function sessionsOfAll(context: Context): SessionLine[] {
	const sessions: SessionLine[] = [];
	for (const engine of context.openAll()) {
		const project = engine.project.root;
		sessions.push(...sessionsOf(engine).map((line) => ({ ...line, project })));
	}
	return sessions;
}

function sessionsOf(engine: Engine): readonly SessionLine[] {
	const prices = readPriceList(engine.settings.prices);
	return viewSessions(engine.log, { savedIn: (session) => savedIn(engine, session), prices });
}

/** At the prices of the agent's own list, as in the agent's status line: a free model saves no money. */
function savedIn(engine: Engine, { session, host }: SessionState): number | undefined {
	const { log, history, settings } = engine;
	const [request] = log.read({ session, host, types: ["Request"], limit: 1 });
	// A request that the agent made without weft saved nothing.
	if (!request || request.payload["mode"] === "host") return undefined;
	const of = { session, host };
	const { reported } = engine.state().state;
	const listed = readPriceList(settings.prices);
	const prices = (model: string | undefined, at: number) => knownPrices(reported, host, model, listed, at);
	return new SessionSavings(log, history.tree, of, prices).dollars(history.tree.tip(of), DEFAULT_WINDOW_TOKENS);
}
