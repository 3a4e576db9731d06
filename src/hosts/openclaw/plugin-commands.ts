/** What a person may ask in a chat of OpenClaw: how weft stands, the history, the state of the work. */
import { projectState } from "../../context/project-state.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../session/tree.ts";
import { shortAge } from "../../text/age.ts";
import { lcmExpand } from "../../tool/expand.ts";
import { lcmGrep } from "../../tool/grep.ts";
import { renderHistoryStats, renderTree, viewTree } from "../../view/history.ts";
import { inspectCommand } from "../../view/inspect-command.ts";
import { type LastRequest, logBytes, renderLiveReport, viewLiveReport } from "../../view/live-status.ts";
import { renderState, viewState } from "../../view/state.ts";
import { PLAIN } from "../../view/style.ts";
import { sentTokens } from "./account.ts";
import { readState } from "./host-state.ts";
import { type ContextEngineOptions, openLog } from "./open.ts";
import type { HostConfig, PlaceContext } from "./plugin-api.ts";
import { type Presence, whatToDo } from "./presence.ts";
import { currentName } from "./sessions.ts";
import { windowOf } from "./size.ts";
import { OPENCLAW_HOST } from "./translate.ts";

export type HistoryCommand = "weft" | "lcm" | "warp";

const MOST_TREE_LINES = 100;
const LCM_HELP = [
	"/lcm stats           how much there is",
	"/lcm tree            the summaries and what they cover",
	"/lcm search WORDS    finds words in everything that was said",
	"/lcm expand ID       gives back what an id names",
].join("\n");

export interface CommandContext {
	readonly seen: Presence;
	readonly config: HostConfig | undefined;
}

export async function runCommand(
	name: HistoryCommand,
	options: ContextEngineOptions,
	place: PlaceContext & { readonly args?: string | undefined },
	context: CommandContext,
): Promise<string> {
	const problems: string[] = [];
	const engine = openLog(options, (problem) => problems.push(problem));
	if (!engine) return `weft: ${problems.join("\n")}`;
	try {
		const { sessionId } = place;
		const session = sessionId === undefined ? "-" : currentName(engine, sessionId);
		const ref = { session, host: OPENCLAW_HOST };
		const args = (place.args ?? "").trim();
		if (name === "weft") return weft(engine, ref, args, { ...context, sessionId });
		if (name === "lcm") return await history(engine, ref, args);
		const state = viewState(projectState(engine.log).current(), ref.session);
		return [...renderState(state, PLAIN, { now: Date.now(), all: "weft state" })].join("\n");
	} finally {
		engine.close();
	}
}

interface WeftContext extends CommandContext {
	/** The host's name of the session. */
	readonly sessionId: string | undefined;
}

function weft(engine: Engine, session: SessionRef, args: string, context: WeftContext): string {
	const [word = ""] = args.split(/\s/);
	// Never an address: it would hold the token, and the chat may be read elsewhere.
	if (word === "inspect")
		return `Run this on the machine where OpenClaw runs, and open the address that it prints:\n${inspectCommand(engine, session.session === "-" ? undefined : session.session)}`;
	if (word === "" || word === "status") return stand(engine, session, context);
	return `There is no '/weft ${word.slice(0, 40)}'. There are status and inspect.`;
}

function stand(engine: Engine, session: SessionRef, { seen, config, sessionId }: WeftContext): string {
	const { mode } = engine.settings;
	const lastRequest = sessionId === undefined ? undefined : nextRequest(engine, session, sessionId);
	const report = viewLiveReport({ engine, session, mode, lastRequest });
	return [...renderLiveReport(report, PLAIN), "", ...renderPresence(seen, config)].join("\n");
}

/** What the next request would hold, as the provider counts. Undefined: nothing was said yet. */
function nextRequest(engine: Engine, session: SessionRef, sessionId: string): LastRequest | undefined {
	const account = readState(engine, sessionId);
	const { opening, messages, tokens } = engine.plan({ ...session, decide: false });
	if (messages.length === 0) return undefined;
	const ceiling = engine.requests.ceiling({ ...session, window: windowOf(account.window) });
	return {
		tokens: sentTokens(account, tokens),
		ceiling: sentTokens(account, ceiling),
		messages: messages.length + (opening ? 1 : 0),
	};
}

function renderPresence(seen: Presence, config: HostConfig | undefined): string[] {
	const { runs, ours, passedBy, since, reason } = seen.report(config);
	if (runs === 0) return ["OpenClaw has called no model since it started: nothing to say about it yet."];
	if (passedBy === 0) return [`OpenClaw uses weft: it made the context of ${ours} of ${runs} turns since the start.`];
	const age = since === undefined ? "" : `, since ${shortAge(since, Date.now())}`;
	const why = reason === undefined ? [] : [`It says: ${reason}.`];
	return [`OpenClaw does not use weft now: the last ${passedBy} turns went past it${age}.`, ...why, whatToDo(config)];
}

async function history(engine: Engine, session: SessionRef, args: string): Promise<string> {
	const [, word = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(args) ?? [];
	const context = { history: engine.history, session, now: Date.now() };
	switch (word) {
		case "stats":
			return [...renderHistoryStats(engine.history.stats(session), logBytes(engine.log))].join("\n");
		case "tree": {
			const tree = viewTree(engine.history, session, { levels: Number.POSITIVE_INFINITY });
			return [...renderTree(tree).take(MOST_TREE_LINES)].join("\n");
		}
		case "search":
			return rest === ""
				? "Say what to search for: /lcm search WORDS"
				: (await lcmGrep.run(context, { query: rest })).text;
		case "expand":
			if (rest === "") return "Say which: /lcm expand ID, with an id as a search shows it";
			return (await lcmExpand.run(context, { summary_id: rest })).text;
		default:
			return LCM_HELP;
	}
}
