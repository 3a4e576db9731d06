/**
 * Upkeep after a turn, while nobody waits for an answer: one summary by the agent's own model, ahead of the seal that will
 * need it; what the next turn would have to do first; a compaction that was put off; and, only where the user wants it,
 * results in the host's transcript that a handle stands for.
 */

import { ModelGate } from "../../base/sidecar/gate.ts";
import type { RequestInput } from "../../context/request.ts";
import type { Engine } from "../../engine.ts";
import { handleOf } from "../../log/handle.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { Summariser } from "../../state/history/summariser.ts";
import type { AgentMessage, TranscriptRewriteResult } from "./contract.ts";
import type { Row } from "./host-state.ts";
import { windowOf } from "./size.ts";

/** A result that is shorter costs no more than the words in its place. */
const MIN_RESULT_CHARS = 2_000;
const MAX_REWRITTEN = 50;

/** One summary before the tail: the models are asked once at most, and the rest waits for the next turn. */
export async function summariseAhead(
	engine: Engine,
	session: SessionRef,
	models: readonly Summariser[],
	signal: AbortSignal | undefined,
): Promise<void> {
	if (models.length === 0) return;
	const limits = { maxNodes: 1, callMs: CALL_MS, deadlineMs: DEADLINE_MS, gate: GATE };
	await engine.compact({ session, models: askOnce(models), signal, ...limits });
}

/** After ten seconds the host tells the user that upkeep still runs, and starts a run in the session to say so. */
const DEADLINE_MS = 8_000;
const CALL_MS = 7_000;
/** One for the process: a model that is too slow again and again rests. */
const GATE = new ModelGate();

/** An answer that is refused is not asked for again: then the deterministic summary stands. */
function askOnce(models: readonly Summariser[]): Summariser[] {
	let isAsked = false;
	return models.map(({ name, summarise }) => ({
		name,
		summarise: async (request) => {
			if (isAsked) throw new Error("one call a turn is enough");
			isAsked = true;
			return summarise(request);
		},
	}));
}

/**
 * What the next turn's first call would do while the user waits: the search index is brought up to date, and where a seal is
 * due, its summaries are written. The host withholds the turn to come, so it is the same seal then.
 */
export async function getReady(engine: Engine, input: RequestInput, signal?: AbortSignal): Promise<void> {
	engine.log.search.catchUp({ deadlineMs: INDEX_MS });
	if (engine.requests.dueWhy(input) === undefined) return;
	const deadline = AbortSignal.timeout(READY_MS);
	const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
	try {
		await engine.requests.seal({ ...input, signal: either });
	} catch (error) {
		// What was written stays; the seal writes the rest.
		if (!either.aborted) throw error;
	}
}

const INDEX_MS = 100;
const READY_MS = 500;

/** The compaction that `afterTurn` found to be due. */
export async function workOff(
	engine: Engine,
	session: SessionRef,
	options: { readonly budget: number; readonly namesTools: boolean; readonly signal: AbortSignal | undefined },
): Promise<void> {
	const { budget, namesTools, signal } = options;
	const input = { ...session, window: windowOf(budget), namesTools, signal };
	if (engine.plan({ ...input, decide: false }).tokens > budget) {
		await engine.seal({ ...input, force: true, why: "host-threshold" });
	}
}

export interface RewriteOptions {
	/** The rows of the host's transcript, the newest first. */
	readonly rows: Iterable<Row>;
	/** seq of the newest result that was rewritten before. */
	readonly after: number;
	readonly rewrite: (request: {
		readonly replacements: readonly { readonly entryId: string; readonly message: AgentMessage }[];
	}) => Promise<TranscriptRewriteResult>;
}

/**
 * Replaces results that have left the context by the handle that gives them back: the oldest first, each once. A transcript
 * that was rewritten is another one, and is read again from its beginning.
 */
export async function rewriteResults(
	engine: Engine,
	session: SessionRef,
	{ rows, after, rewrite }: RewriteOptions,
): Promise<{ readonly result: TranscriptRewriteResult; readonly upTo: number } | undefined> {
	const { opening, messages } = engine.plan({ ...session, decide: false });
	const from = messages[0]?.seq;
	if (!opening || from === undefined) return undefined;
	const left = new Map<number, string>();
	for (const [entryId, entry] of rows) {
		const seq = engine.history.tree.find(session, entry);
		// A row that was rewritten has several ids: the newest is the one that the transcript has now.
		if (seq !== undefined && seq > after && seq < from && !left.has(seq)) left.set(seq, entryId);
	}
	const replacements: { entryId: string; message: AgentMessage }[] = [];
	let upTo = after;
	for (const [seq, entryId] of [...left].sort(([one], [other]) => one - other)) {
		if (replacements.length >= MAX_REWRITTEN) break;
		upTo = seq;
		const record = engine.log.get(seq);
		const message = record?.payload["raw"] as AgentMessage | undefined;
		if (!record || message?.role !== "toolResult") continue;
		if (JSON.stringify(message["content"] ?? "").length < MIN_RESULT_CHARS) continue;
		const text = `[This result has left the conversation: lcm_expand("${handleOf(record)}") gives it back whole.]`;
		replacements.push({ entryId, message: { ...message, content: [{ type: "text", text }] } });
	}
	if (replacements.length === 0) return undefined;
	const result = await rewrite({ replacements });
	return { result, upTo: result.changed ? upTo : after };
}
