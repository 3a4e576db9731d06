/**
 * Upkeep after a turn, when the user waits for nothing: one summary by the agent's own model, ahead of the seal that needs
 * it; a deferred compaction; the work that would delay the next turn; and, only if the user wants it, handles in place of
 * results in the host's transcript.
 */

import { ModelGate } from "../../base/sidecar/gate.ts";
import type { RequestInput } from "../../context/request.ts";
import type { Engine } from "../../engine.ts";
import { handleOf } from "../../log/handle.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { Summariser } from "../../state/history/summariser.ts";
import type { AgentMessage, TranscriptRewriteRequest, TranscriptRewriteResult } from "./contract.ts";
import type { RowIds } from "./host-state.ts";
import { windowOf } from "./window-account.ts";

/** A shorter result costs no more than the text that replaces it. */
const MIN_RESULT_CHARS = 2_000;
const MAX_REWRITTEN = 50;

/** Writes one summary before the tail. Asks the models once at most; the rest waits for the next turn. */
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

/** After ten seconds the host starts a run in the session to tell the user that upkeep still works. */
const DEADLINE_MS = 8_000;
const CALL_MS = 7_000;
/** One for the process: it rests a model that is too slow again and again. */
const GATE = new ModelGate();

/** After a refused answer the deterministic summary is used. */
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
 * Does now what the next turn's first call would do while the user waits: updates the search index and, if a seal is due,
 * writes its summaries. The host withholds the next turn, so that call makes the same seal.
 */
export async function prepareNextTurn(
	engine: Engine,
	input: RequestInput,
	{ beforeSeal, signal }: { readonly beforeSeal: () => Promise<void>; readonly signal: AbortSignal | undefined },
): Promise<void> {
	engine.log.search.catchUp({ deadlineMs: INDEX_MS });
	if (engine.requests.dueWhy(input) === undefined) return;
	await beforeSeal();
	const deadline = AbortSignal.timeout(SEAL_MS);
	const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
	try {
		await engine.requests.summariseLeaving({ ...input, signal: either });
	} catch (error) {
		// Finished summaries stay; the seal writes the rest.
		if (!either.aborted) throw error;
	}
}

const INDEX_MS = 100;
const SEAL_MS = 500;

/** The compaction that `afterTurn` deferred. */
export async function compactDeferred(
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
	/** The rows of the host's transcript, newest first. */
	readonly rows: Iterable<RowIds>;
	/** seq of the newest result that was rewritten before. */
	readonly after: number;
	readonly rewrite: (request: TranscriptRewriteRequest) => Promise<TranscriptRewriteResult>;
}

/**
 * Replaces results that have left the context by the handle that expands them: oldest first, each once. After a rewrite the
 * host's cursor starts again from the beginning.
 */
export async function rewriteResults(
	engine: Engine,
	session: SessionRef,
	{ rows, after, rewrite }: RewriteOptions,
): Promise<{ readonly result: TranscriptRewriteResult; readonly upTo: number } | undefined> {
	const { opening, messages } = engine.plan({ ...session, decide: false });
	const from = messages[0]?.seq;
	if (!opening || from === undefined) return undefined;
	const outside = new Map<number, string>();
	for (const [entryId, entry] of rows) {
		const seq = engine.history.tree.find(session, entry);
		// A rewritten row has several ids; the transcript now uses the newest.
		if (seq !== undefined && seq > after && seq < from && !outside.has(seq)) outside.set(seq, entryId);
	}
	const replacements: { entryId: string; message: AgentMessage }[] = [];
	let upTo = after;
	for (const [seq, entryId] of [...outside].sort(([one], [other]) => one - other)) {
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
