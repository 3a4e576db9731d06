/** The slash commands in a chat of OpenClaw: the status of weft, the history, the state of the work. */

import { errorText } from "../../base/error/error-text.ts";
import { printable } from "../../base/text/printable.ts";
import { formatAgo } from "../../base/text/time.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { inspectCommand } from "../../view/inspect-command.ts";
import { type LastRequest, renderLiveReport, viewLiveReport } from "../../view/live-status.ts";
import { renderState, viewState } from "../../view/state.ts";
import { PLAIN } from "../../view/text-style.ts";
import { readState } from "./host-state.ts";
import { lcmCommand } from "./lcm-command.ts";
import { type ContextEngineOptions, openLog } from "./open.ts";
import type { HostConfig, PlaceContext } from "./plugin-api.ts";
import { type Presence, renderAdvice } from "./presence.ts";
import { currentName } from "./sessions.ts";
import { OPENCLAW_HOST } from "./translate.ts";
import { sentTokens, windowOf } from "./window-account.ts";

export type HistoryCommand = "weft" | "lcm" | "warp";

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
	if (!engine) return renderFailure(problems.join("\n"), name, context);
	try {
		const { sessionId } = place;
		const session = sessionId === undefined ? "-" : currentName(engine, sessionId);
		const ref = { session, host: OPENCLAW_HOST };
		const args = (place.args ?? "").trim();
		if (name === "weft") return weftCommand(engine, ref, args, { ...context, sessionId });
		if (name === "lcm") return lcmCommand(engine, ref, args);
		if (args !== "") return "/warp shows what is true of the work and takes no words. '/lcm search WORDS' searches.";
		const state = viewState(engine.stateFor(ref), ref.session);
		return [...renderState(state, PLAIN, { now: Date.now(), all: "weft state" })].join("\n");
	} catch (error) {
		return renderFailure(errorText(error), name, context);
	} finally {
		engine.close();
	}
}

/** For a full disk or a broken log: the host itself would only say that a command failed. */
function renderFailure(reason: string, name: HistoryCommand, { seen, config }: CommandContext): string {
	const presence = name === "weft" ? ["", ...renderPresence(seen, config)] : [];
	return [`weft: ${printable(reason)}`, "'weft doctor' checks the log.", ...presence].join("\n");
}

interface WeftContext extends CommandContext {
	/** The host's name of the session. */
	readonly sessionId: string | undefined;
}

function weftCommand(engine: Engine, session: SessionRef, args: string, context: WeftContext): string {
	const [word = ""] = args.split(/\s/);
	// Never the address: it has a token in it, and others may read the chat.
	if (word === "inspect")
		return `Run this on the machine where OpenClaw runs, and open the address that it prints:\n${inspectCommand(engine, session.session === "-" ? undefined : session.session)}`;
	if (word === "" || word === "status") return renderStatus(engine, session, context);
	return `Unknown command '/weft ${word.slice(0, 40)}'. Use status or inspect.`;
}

function renderStatus(engine: Engine, session: SessionRef, { seen, config, sessionId }: WeftContext): string {
	const { mode } = engine.settings;
	const lastRequest = sessionId === undefined ? undefined : nextRequest(engine, session, sessionId);
	const report = viewLiveReport({ engine, session, mode, lastRequest });
	return [...renderLiveReport(report, PLAIN), "", ...renderPresence(seen, config)].join("\n");
}

/** The next request in the provider's tokens. Undefined: the session has no messages yet. */
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
	const why = reason === undefined ? [] : [`It says: ${reason}.`];
	const age = formatAgo(since ?? Date.now(), Date.now());
	const passed =
		passedBy === 1 ? `the last turn went past it, ${age}` : `the last ${passedBy} turns went past it, the first ${age}`;
	return [`OpenClaw does not use weft now: ${passed}.`, ...why, renderAdvice(config)];
}
