import { SessionSavings } from "../../context/session-savings.ts";
import type { Engine } from "../../engine.ts";
import type { SessionState } from "../../session/fold.ts";
import { DEFAULT_WINDOW_TOKENS } from "../../tokens/assumed.ts";
import { renderSessions, viewSessions } from "../../view/sessions.ts";
import type { Context } from "../context.ts";

export async function run(context: Context): Promise<void> {
	const { out } = context;
	const engine = context.openExisting();
	try {
		const sessions = viewSessions(engine.log, { savedIn: (session) => savedIn(engine, session) });
		if (out.json) return await out.document({ sessions });
		await out.lines(renderSessions(sessions, out));
	} finally {
		engine.close();
	}
}

function savedIn({ log, history }: Engine, { session, host }: SessionState): number | undefined {
	const [request] = log.read({ session, host, types: ["Request"], limit: 1 });
	if (!request) return undefined;
	const of = { session, host };
	return new SessionSavings(log, history.tree, of).dollars(history.tree.tip(of), DEFAULT_WINDOW_TOKENS);
}
