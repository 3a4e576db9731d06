/** Prompts that a person picks in the agent: the status, and a recap of the work so far. */

import { EngineError } from "../../base/error/engine-error.ts";
import { asText, type JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { lcmDescribe } from "../../tool/describe.ts";
import { type LastRequest, renderLiveReport, viewLiveReport } from "../../view/live-status.ts";
import { SessionRequests } from "../../view/requests.ts";
import { PLAIN } from "../../view/text-style.ts";
import { readResource } from "./resources.ts";
import { renderChoice, type SessionChoice } from "./session-choice.ts";

export async function renderPrompt(
	engine: Engine,
	which: SessionChoice,
	name: string,
	args: JsonObject,
	now: number,
): Promise<string> {
	const { ref: session } = which;
	if (name === "status") {
		const lastRequest = newestRequest(engine, session);
		const report = viewLiveReport({ engine, session, mode: engine.settings.mode, lastRequest });
		const ask = "This is what weft says of this session. Tell me briefly how it stands.";
		return [ask, ...renderLiveReport(report, PLAIN), renderChoice(which)].join("\n");
	}
	if (name !== "recap") throw new EngineError("not-found", `There is no prompt '${name.slice(0, 80)}'.`);
	const about = asText(args["about"])?.trim();
	const nodes = await lcmDescribe.run(
		{ history: engine.history, session, scope: engine.scope(session), now },
		{ section: "overview" },
	);
	const state = await readResource(engine, which, "weft://state", now);
	const ask = about ? `Look most at: ${about}.` : "Say what was done, what is open, and what comes next.";
	return [
		`This is what the log has of this session. ${ask} Fetch what you need of it with lcm_grep and lcm_expand.`,
		state,
		nodes.text,
		renderChoice(which),
	].join("\n\n");
}

/** Tokens as the provider counted them, or else an estimate. Undefined: the log has no request. */
function newestRequest({ history, requests }: Engine, session: SessionRef): LastRequest | undefined {
	const newest = new SessionRequests(history, session).rows().at(-1);
	if (!newest) return undefined;
	const { reported } = newest;
	const { opening, messages } = requests.moment(session).path;
	const estimate = newest.tokens || messages.reduce((sum, { tokens }) => sum + tokens, 0);
	return {
		tokens: reported ? reported.read + reported.write + reported.input : estimate,
		ceiling: requests.ceiling(session),
		messages: messages.length + (opening ? 1 : 0),
	};
}
