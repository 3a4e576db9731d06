/**
 * A compaction that the host or the user asks for: a seal of the session as the log has it, including the current turn. The
 * host's transcript stays as it is. The answer counts what is sent, because the host counts its own transcript, which only
 * grows, and gives the turn up when nothing became smaller.
 */

import type { PlannedSeal } from "../../context/plan.ts";
import { isTalk } from "../../context/seal/reread-fold.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { Summariser } from "../../state/history/summariser.ts";
import type { CompactParams, CompactResult } from "./contract.ts";
import { type Account, roomOf, sentTokens, windowOf } from "./window-account.ts";

export interface CompactContext {
	readonly engine: Engine;
	readonly session: SessionRef;
	readonly account: Account;
	readonly models: readonly Summariser[];
	readonly model: string | undefined;
	/** False: the agent cannot call our tools. */
	readonly namesTools: boolean;
	/** False: the host's transcript could not be read, so the log lacks the current turn. */
	readonly isRead: boolean;
	/** The host's id of a message. */
	readonly hostEntry: (entry: string | null) => Promise<string | undefined>;
	/** Called if messages are about to leave. */
	readonly beforeSeal: () => Promise<void>;
	readonly onSeal: (session: SessionRef, seal: PlannedSeal) => void;
}

export async function compactSession(params: CompactParams, context: CompactContext): Promise<CompactResult> {
	const { engine, session, account, model, namesTools } = context;
	if (params.abortSignal?.aborted) return aborted();
	const named = params.tokenBudget ?? params.runtimeContext?.tokenBudget;
	const room = roomOf({ ...account, window: account.window ?? named }, NO_LIMITS);
	const window = windowOf(room?.window);
	const input = { ...session, model, window, namesTools };
	const before = engine.plan({ ...input, decide: false });
	if (before.mode === "off" || before.mode === "warp") {
		return { ok: false, compacted: false, reason: `In the mode ${before.mode} the host compacts.` };
	}
	if (before.messages.length === 0) return answerEmpty(params, context, room?.budget ?? window);
	const target = params.compactionTarget === "threshold" ? Math.floor(window / 2) : (named ?? window);
	const sentBefore = sentTokens(account, before.tokens);
	const isWithin = !isWanted(params, target) && sentBefore <= target;
	const isNeeded = !isWithin && (!isPreflight(params) || sentBefore > (named ?? window) * PREFLIGHT_SHARE);
	if (isNeeded) await context.beforeSeal();
	const seal = isNeeded ? await sealNow(params, context, input) : undefined;
	if (seal === "aborted") return aborted();
	if (seal) context.onSeal(session, seal);
	const after = engine.plan({ ...input, decide: false });
	const tokensBefore = hostCount(params) ?? sentBefore;
	const tokensAfter = sentTokens(account, after.tokens);
	if (tokensAfter >= tokensBefore && isWithin) {
		return unchanged(`Already under target: the context has about ${sentBefore} tokens, which is within ${target}.`);
	}
	if (tokensAfter >= tokensBefore) {
		return unchanged("Nothing to compact: the newest turn and the seed are all there is.");
	}
	const { opening, messages } = after;
	const from = messages[0]?.id ?? null;
	return {
		ok: true,
		compacted: true,
		result: {
			...(opening && { summary: opening.text }),
			...entryId(await context.hostEntry(from)),
			tokensBefore,
			tokensAfter,
			details: { weft: { from, left: seal?.left ?? 0 } },
		},
	};
}

/** A turn that fills less of the window has room to begin. */
const PREFLIGHT_SHARE = 0.75;

const NO_LIMITS = { tokenBudget: undefined, isFirst: true, promptTokens: 0, maxOutputTokens: undefined } as const;

/** The log has no message of the session. */
function answerEmpty(params: CompactParams, { account, isRead }: CompactContext, budget: number): CompactResult {
	const tokensBefore = hostCount(params) ?? 0;
	const tokensAfter = sentTokens(account, budget);
	if (isRead || tokensBefore <= tokensAfter) {
		return unchanged("Nothing to compact: nothing is recorded of this session yet.");
	}
	// The host's next call hands over the messages that could not be read here, and `assemble` keeps them within this.
	return { ok: true, compacted: true, result: { tokensBefore, tokensAfter } };
}

async function sealNow(
	params: CompactParams,
	{ engine, models }: CompactContext,
	input: SessionRef & { readonly window: number },
) {
	const { abortSignal: signal, customInstructions: words } = params;
	// An urgent host has little room: a smaller seed and tail, or the next turn would need another seal. A turn of talk needs little.
	const isSmall = isRetry(params) || !isTalk(engine.stateFor(input).state.rereads);
	const window = isUrgent(params) && isSmall ? windowOf(Math.floor(input.window / 2)) : input.window;
	try {
		return await engine.seal({ ...input, window, models, signal, words, force: true, why: sealReason(params) });
	} catch (error) {
		if (signal?.aborted) return "aborted";
		throw error;
	}
}

/** A host that counts more tokens than it allows got that from the provider, whatever our estimate says. */
function isWanted(params: CompactParams, target: number): boolean {
	const count = hostCount(params);
	return params.force === true || (count !== undefined && count > (params.tokenBudget ?? target));
}

function hostCount({ currentTokenCount, runtimeContext }: CompactParams): number | undefined {
	return currentTokenCount ?? runtimeContext?.currentTokenCount;
}

function entryId(firstKeptEntryId: string | undefined): { firstKeptEntryId?: string } {
	return firstKeptEntryId === undefined ? {} : { firstKeptEntryId };
}

/**
 * Before a turn the host decides by the size of its own transcript, which only grows. After a seal the request is small
 * already; another seal at each turn would only cost the cache.
 */
function isPreflight({ runtimeContext }: CompactParams): boolean {
	const { trigger, forceReason } = runtimeContext ?? {};
	return forceReason === "preflight_required" || trigger === "budget";
}

/** The turn waits for this compaction, so it must not wait for a model. */
export function isUrgent({ runtimeContext }: CompactParams): boolean {
	const { trigger, forceReason } = runtimeContext ?? {};
	return trigger !== undefined || forceReason === "preflight_required";
}

/** True: a request of the turn failed, and the host tries the turn again after the compaction. */
export function isRetry({ runtimeContext }: CompactParams): boolean {
	return runtimeContext?.trigger === "overflow" || runtimeContext?.trigger === "timeout_recovery";
}

function sealReason(params: CompactParams): "overflow" | "host-threshold" | "asked" {
	if (params.runtimeContext?.trigger === "overflow") return "overflow";
	return isUrgent(params) ? "host-threshold" : "asked";
}

/** The host recognises "nothing to compact" and "already under target": neither is a failure to it. */
function unchanged(reason: string): CompactResult {
	return { ok: true, compacted: false, reason };
}

function aborted(): CompactResult {
	return { ok: false, compacted: false, reason: "The compaction was aborted; what was written stays." };
}
