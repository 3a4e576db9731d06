/**
 * `warp`: the computed context, and behind it the run that is going on, from the user's newest message. Where the run
 * outgrows what the window leaves for it, its oldest closed turns leave, each with a handle.
 */
import { basename } from "node:path";
import { ceilingTokens } from "../../context/seal/seal-rule.ts";
import { contextBudget } from "../../context/section/budget.ts";
import { LEAST_BUDGET_TOKENS, renderWarp } from "../../context/section/warp/render.ts";
import { viewMessage } from "../../message/message.ts";
import { weighMessage } from "../../message/weigh.ts";
import { plural } from "../../text/bytes.ts";
import { diskFiles } from "../../work/file-source.ts";
import type { LiveSession } from "./live-session.ts";
import { type Shown, userMessage } from "./outgoing.ts";

/** Of what a request may take; the rest is the run's. */
const CONTEXT_SHARE = 0.6;
const MOST_HANDLES = 40;

export function computedRun(own: readonly Shown[], live: LiveSession): Shown[] {
	const { engine, window, session } = live;
	const maxTokens = live.ctx.model?.maxTokens;
	const limit = ceilingTokens(window);
	const whole = contextBudget({ window, ...(maxTokens === undefined ? {} : { maxTokens }) });
	const budget = Math.max(LEAST_BUDGET_TOKENS, Math.min(whole, Math.floor(limit * CONTEXT_SHARE)));
	const { text, tokens } = renderWarp({
		state: engine.state(),
		files: diskFiles(engine.project.root),
		budget,
		now: Date.now(),
		session: session.session,
		repository: basename(engine.project.root),
	});
	const start = own.findLastIndex(({ message }) => message.role === "user");
	const room = limit - tokens;
	const context: Shown = { id: "warp", message: userMessage(text, Date.now()), seed: true };
	return [context, ...fitRun(own.slice(Math.max(0, start)), room, live)];
}

/** The user's message, a word on what left, and the newest turns that fit; the newest one always. */
function fitRun(run: readonly Shown[], room: number, live: LiveSession): Shown[] {
	const starts = run.flatMap(({ message }, at) => (at > 0 && message.role === "assistant" ? [at] : []));
	const [asked] = run;
	if (!asked || starts.length < 2) return [...run];
	let from = starts.at(-1)!;
	let tokens = weigh(run.slice(from)) + weigh([asked]);
	for (const start of starts.slice(0, -1).reverse()) {
		tokens += weigh(run.slice(start, from));
		if (tokens > room) break;
		from = start;
	}
	const left = run.slice(1, from);
	if (left.length === 0) return [...run];
	return [asked, { id: "left out", message: userMessage(leftOut(left, live), Date.now()) }, ...run.slice(from)];
}

function leftOut(left: readonly Shown[], live: LiveSession): string {
	const handles = left.flatMap(({ id, message }) => {
		const seq = message.role === "assistant" ? live.seqOf(id) : undefined;
		return seq === undefined ? [] : (live.engine.log.handleAt(seq) ?? []);
	});
	const named = handles.slice(-MOST_HANDLES);
	const more = handles.length - named.length;
	const list = `${more > 0 ? `${more} older, ` : ""}${named.join(", ")}`;
	return `[weft] ${plural(handles.length, "earlier turn")} of this run left to make room. lcm_expand gives each back by its handle: ${list}.`;
}

function weigh(shown: readonly Shown[]): number {
	return shown.reduce((sum, { message }) => sum + weighMessage(viewMessage({ form: "pi", raw: { message } })), 0);
}
