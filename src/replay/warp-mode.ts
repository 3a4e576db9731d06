/**
 * What `warp` would have sent: the context, computed anew for every request, and the current run; where the run outgrows
 * what the ceiling leaves, its oldest closed turns leave, each with a handle.
 */

import { type ProjectState, projectState } from "../context/project-state.ts";
import { ceilingTokens } from "../context/seal/rule.ts";
import { contextBudget } from "../context/section/budget.ts";
import { renderWarp } from "../context/section/warp/render.ts";
import { logUpTo } from "../fold/log-up-to.ts";
import type { StateRunner } from "../fold/state.ts";
import type { Log } from "../log/log.ts";
import { keepNewest } from "../message/turns.ts";
import { estimateTokens } from "../tokens/estimate.ts";
import { RecordedFiles } from "../work/recorded-files.ts";
import type { Path, SentMessage } from "./path.ts";
import { type Mode, type PlannedRequest, planText } from "./planned.ts";
import type { RecordedCall } from "./recording.ts";

export interface WarpModeOptions {
	readonly log: Log;
	readonly window: number;
	/** Tokens of the system prompt and tools. */
	readonly fixed: number;
}

/** Of what a request may take. */
const CONTEXT_SHARE = 0.6;
const MOST_HANDLES = 40;

export class WarpMode implements Mode {
	readonly #log: Log;
	readonly #limit: number;
	readonly #budget: number;
	readonly #state: StateRunner<ProjectState>;
	readonly #files = new RecordedFiles();
	#upTo = 0;
	#cuts = 0;

	constructor({ log, window, fixed }: WarpModeOptions) {
		this.#log = log;
		this.#limit = ceilingTokens(window) - fixed;
		this.#budget = Math.min(contextBudget({ window }), Math.floor(this.#limit * CONTEXT_SHARE));
		const upTo = () => this.#upTo;
		this.#state = projectState(logUpTo(log, upTo), { snapshots: false });
	}

	get seals(): number {
		return this.#cuts;
	}

	plan(call: RecordedCall, { messages }: Path): PlannedRequest {
		this.#upTo = call.answer.seq - 1;
		const asked = messages.findLastIndex((message) => message.asks);
		const start = Math.max(0, asked);
		const context = this.#render(call);
		const room = this.#limit - estimateTokens(context) - (messages[start]?.tokens ?? 0) - LEFT_OUT_TOKENS;
		const first = keepNewest(messages, { limit: room, least: start + 1 });
		const left = messages.slice(start + 1, first);
		if (left.length > 0) this.#cuts++;
		const opening = planText(left.length === 0 ? context : `${context}\n${leftOut(left, this.#log)}`);
		const planned = [opening, ...messages.slice(start, start + 1), ...messages.slice(first)];
		return { messages: planned, reason: "computed anew" };
	}

	#render(call: RecordedCall): string {
		this.#files.advance(this.#log, this.#upTo);
		return renderWarp({
			state: this.#state.current().state,
			files: this.#files,
			budget: this.#budget,
			now: call.answer.ts,
			session: call.session.session,
		}).text;
	}
}

/** For the line that names what left. */
const LEFT_OUT_TOKENS = 200;

/** The turns that left, by the answers that began them. */
function leftOut(left: readonly SentMessage[], log: Log): string {
	const turns = left.filter((message) => message.role === "assistant");
	const shown = turns.slice(-MOST_HANDLES);
	const older = turns.length - shown.length;
	const handles = shown.map(({ seq }) => log.handleAt(seq)).join(", ");
	const more = older > 0 ? `; ${older} older ones: lcm_grep` : "";
	return `Earlier turns of this run that no longer fit (lcm_expand gives each back whole): ${handles}${more}`;
}
