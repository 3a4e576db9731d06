/**
 * Upkeep after a turn, while nobody waits for an answer: one summary by the agent's own model, ahead of the seal that will
 * need it; a compaction that was put off; and, only where the user wants it, results in the host's transcript that a
 * handle stands for.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Engine } from "../../engine.ts";
import type { Summariser } from "../../history/summariser.ts";
import { handleOf } from "../../log/handle.ts";
import type { SessionRef } from "../../session/tree.ts";
import type { AgentMessage, TranscriptRewriteResult } from "./contract.ts";
import type { Row } from "./host-state.ts";
import { windowOf } from "./size.ts";

/** For the first summary to be written before the run is ended. */
const SETTLE_MS = 50;
/** A result that is shorter costs no more than the words in its place. */
const LEAST_RESULT_CHARS = 2_000;
const MOST_REWRITTEN = 50;

/** Summaries before the tail; the models are asked once at most, and what they were not asked for waits. */
export async function summariseAhead(
	engine: Engine,
	session: SessionRef,
	models: readonly Summariser[],
	signal: AbortSignal | undefined,
): Promise<void> {
	if (models.length === 0) return;
	const stop = new AbortController();
	const once = askOnce(models, stop);
	const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
	await engine.compact({ session, models: once, signal: both });
}

/** The second call of any of them ends the run in good order, after the first has been used. */
function askOnce(models: readonly Summariser[], stop: AbortController): Summariser[] {
	let first: Promise<unknown> | undefined;
	return models.map(({ name, summarise }) => ({
		name,
		summarise: async (request) => {
			if (!first) {
				const answer = summarise(request);
				first = answer;
				return answer;
			}
			await first.catch(() => undefined);
			await delay(SETTLE_MS);
			stop.abort();
			throw new Error("one call a turn is enough");
		},
	}));
}

/** The compaction that `afterTurn` found to be due. */
export async function workOff(
	engine: Engine,
	session: SessionRef,
	options: { readonly budget: number; readonly namesTools: boolean; readonly signal: AbortSignal | undefined },
): Promise<void> {
	const { budget, namesTools, signal } = options;
	const input = { ...session, window: windowOf(budget), namesTools, signal };
	if (engine.plan({ ...input, decide: false }).tokens > budget) await engine.seal({ ...input, force: true });
}

export interface RewriteOptions {
	/** The rows of the host's transcript, the newest first. */
	readonly rows: Iterable<Row>;
	readonly rewrite: (request: {
		readonly replacements: readonly { readonly entryId: string; readonly message: AgentMessage }[];
	}) => Promise<TranscriptRewriteResult>;
}

/** Replaces results that have left the context by the handle that gives them back. */
export async function rewriteResults(
	engine: Engine,
	session: SessionRef,
	{ rows, rewrite }: RewriteOptions,
): Promise<TranscriptRewriteResult | undefined> {
	const { opening, messages } = engine.plan({ ...session, decide: false });
	const from = messages[0]?.seq;
	if (!opening || from === undefined) return undefined;
	const replacements: { entryId: string; message: AgentMessage }[] = [];
	for (const [entryId, entry] of rows) {
		const seq = engine.history.tree.find(session, entry);
		const record = seq !== undefined && seq < from ? engine.log.get(seq) : undefined;
		const message = record?.payload["raw"] as AgentMessage | undefined;
		if (!record || message?.role !== "toolResult") continue;
		if (JSON.stringify(message["content"] ?? "").length < LEAST_RESULT_CHARS) continue;
		const text = `[This result has left the conversation: lcm_expand("${handleOf(record)}") gives it back whole.]`;
		replacements.push({ entryId, message: { ...message, content: [{ type: "text", text }] } });
		if (replacements.length >= MOST_REWRITTEN) break;
	}
	return replacements.length > 0 ? rewrite({ replacements }) : undefined;
}
