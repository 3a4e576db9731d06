/**
 * What `warp` would have sent: the computed context and the current run. It is computed when a run begins and stays as it
 * is while the run lasts; where the run outgrows its budget, its oldest closed turns leave, each with a handle, and the
 * context is computed anew.
 */
import { contextBudget } from "../assembly/budget.ts";
import { type ProjectState, projectState } from "../assembly/project-state.ts";
import { ceilingTokens } from "../assembly/seal-rule.ts";
import { renderWarp } from "../assembly/warp/render.ts";
import type { Log } from "../log/log.ts";
import type { StateRunner } from "../projection/state.ts";
import { messageHandle } from "../summary/handle.ts";
import { RecordedFiles } from "../work/recorded-files.ts";
import { logUpTo } from "./log-up-to.ts";
import type { Path, SentMessage } from "./path.ts";
import { type Mode, type PlannedMessage, type PlannedRequest, planText, sumTokens } from "./planned.ts";
import type { RecordedCall } from "./recording.ts";

export interface WarpModeOptions {
	readonly log: Log;
	readonly window: number;
	/** Tokens of the system prompt and tools. */
	readonly fixed: number;
}

/** Of what a request may take: the computed context, and a run that has just been cut. */
const CONTEXT_SHARE = 0.6;
const KEPT_SHARE = 0.25;
const MOST_HANDLES = 80;

interface Run {
	/** Index of the user's message that began it. */
	readonly start: number;
	readonly startId: string | undefined;
	/** Index of the first of its other messages that is still there. */
	readonly first: number;
	readonly context: PlannedMessage;
}

export class WarpMode implements Mode {
	readonly #log: Log;
	readonly #limit: number;
	readonly #budget: number;
	readonly #state: StateRunner<ProjectState>;
	readonly #files = new RecordedFiles();
	#upTo = 0;
	#run: Run | undefined;
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
		const start = Math.max(
			0,
			messages.findLastIndex((message) => message.asks),
		);
		const startId = messages[start]?.id;
		const begins = this.#run?.start !== start || this.#run.startId !== startId;
		if (begins) this.#run = { start, startId, first: start + 1, context: this.#render(call, []) };
		const first = this.#size(messages) > this.#limit ? keepFrom(messages, this.#run!.first, this.#limit) : 0;
		const cut = first > this.#run!.first;
		if (cut) {
			this.#run = { start, startId, first, context: this.#render(call, messages.slice(start + 1, first)) };
			this.#cuts++;
		}
		const run = this.#run!;
		const planned = [run.context, ...messages.slice(start, start + 1), ...messages.slice(run.first)];
		const reason = cut ? "the run outgrew its budget" : begins ? "a new run" : undefined;
		return { messages: planned, ...(reason === undefined ? {} : { reason }) };
	}

	#size(messages: readonly SentMessage[]): number {
		const { context, start, first } = this.#run!;
		return context.tokens + (messages[start]?.tokens ?? 0) + sumTokens(messages, first);
	}

	#render(call: RecordedCall, left: readonly SentMessage[]): PlannedMessage {
		this.#files.advance(this.#log, this.#upTo);
		const { text } = renderWarp({
			state: this.#state.current().state,
			seq: this.#upTo,
			files: this.#files,
			budget: this.#budget,
			now: call.answer.ts,
			session: call.session.session,
		});
		return planText(left.length === 0 ? text : `${text}\n${leftOut(left)}`);
	}
}

/** The turns that left, by the answers that began them. */
function leftOut(left: readonly SentMessage[]): string {
	const turns = left.filter((message) => message.role === "assistant");
	const shown = turns.slice(-MOST_HANDLES);
	const older = turns.length - shown.length;
	const handles = shown.map(({ seq }) => messageHandle(seq)).join(", ");
	const more = older > 0 ? `; ${older} older ones: lcm_grep` : "";
	return `Earlier turns of this run that no longer fit (lcm_expand gives each back whole): ${handles}${more}`;
}

/** The newest turns of the run, the newest one whole; a cut never stands before a result. */
function keepFrom(messages: readonly SentMessage[], least: number, limit: number): number {
	const most = limit * KEPT_SHARE;
	let tokens = 0;
	let first = messages.length;
	for (let at = messages.length - 1; at >= least; at--) {
		tokens += messages[at]!.tokens;
		if (first < messages.length && tokens > most) break;
		if (messages[at]!.role !== "toolResult") first = at;
	}
	return first === messages.length ? least : first;
}
