/**
 * Compaction that somebody asks for: a seal of what the log has of the session, the turn under way among it. The host's
 * transcript stays as it is. What is answered speaks of what is sent: a host counts its own transcript, which only grows,
 * and gives the turn up when nothing became smaller.
 */
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { Summariser } from "../../state/history/summariser.ts";
import { type Account, roomOf, sentTokens } from "./account.ts";
import type { CompactParams, CompactResult } from "./contract.ts";
import { windowOf } from "./size.ts";

export interface CompactContext {
	readonly engine: Engine;
	readonly session: SessionRef;
	readonly account: Account;
	readonly models: readonly Summariser[];
	readonly model: string | undefined;
	/** False: the agent cannot call our tools. */
	readonly namesTools: boolean;
	/** False: the host's transcript could not be read now, so the turn under way is not known. */
	readonly isRead: boolean;
	/** The host's id of a message. */
	readonly hostEntry: (entry: string | null) => Promise<string | undefined>;
}

export async function compactSession(params: CompactParams, context: CompactContext): Promise<CompactResult> {
	const { engine, session, account, models, model, namesTools } = context;
	const { abortSignal: signal } = params;
	if (signal?.aborted) return aborted();
	const named = params.tokenBudget ?? params.runtimeContext?.tokenBudget;
	const room = roomOf({ ...account, window: account.window ?? named }, NOT_ASKED);
	const window = windowOf(room?.window);
	const input = { ...session, model, window, namesTools };
	const before = engine.plan({ ...input, decide: false });
	if (before.mode === "off" || before.mode === "warp") {
		return { ok: false, compacted: false, reason: `In the mode ${before.mode} the host compacts.` };
	}
	const currentTokenCount = countOf(params);
	if (before.messages.length === 0) {
		const most = sentTokens(account, room?.budget ?? window);
		if (context.isRead || (currentTokenCount ?? 0) <= most) {
			return unchanged("Nothing to compact: nothing is recorded of this session yet.");
		}
		// The host's next call hands over what could not be read here, and then it is kept within this.
		return { ok: true, compacted: true, result: { tokensBefore: currentTokenCount!, tokensAfter: most } };
	}
	const target = params.compactionTarget === "threshold" ? Math.floor(window / 2) : (named ?? window);
	const sentBefore = sentTokens(account, before.tokens);
	const isWithin = !isWanted(params, target) && sentBefore <= target;
	const isNeeded = !isWithin && (!isPreflight(params) || sentBefore > (named ?? window) * PREFLIGHT_SHARE);
	const { customInstructions: words } = params;
	// A host in need has little room: what stands after a seal is smaller then, or the next turn would need another one.
	const sizes = isUrgent(params) ? { window: windowOf(Math.floor(window / 2)) } : {};
	const why = whyOf(params);
	const sealing = isNeeded ? engine.seal({ ...input, ...sizes, models, signal, words, force: true, why }) : undefined;
	const seal = await sealing?.catch((error: unknown) => {
		if (signal?.aborted) return "aborted" as const;
		throw error;
	});
	if (seal === "aborted") return aborted();
	const after = engine.plan({ ...input, decide: false });
	const tokensBefore = currentTokenCount ?? sentBefore;
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

/** Of the window: below that a turn has room to begin. */
const PREFLIGHT_SHARE = 0.75;

const NOT_ASKED = { tokenBudget: undefined, isFirst: true, promptTokens: 0, maxOutputTokens: undefined } as const;

/** A host that names more tokens than it allows has been told so by the provider, whatever we count. */
function isWanted(params: CompactParams, target: number): boolean {
	const count = countOf(params);
	return params.force === true || (count !== undefined && count > (params.tokenBudget ?? target));
}

/** What the host counted, wherever it says it. */
function countOf({ currentTokenCount, runtimeContext }: CompactParams): number | undefined {
	return currentTokenCount ?? runtimeContext?.currentTokenCount;
}

function entryId(firstKeptEntryId: string | undefined): { firstKeptEntryId?: string } {
	return firstKeptEntryId === undefined ? {} : { firstKeptEntryId };
}

/**
 * Before a turn the host asks by the size of its own transcript, which only grows. What is sent is small already where a
 * seal stands; another one at every turn would cost the cache and help nobody.
 */
function isPreflight({ runtimeContext }: CompactParams): boolean {
	const { trigger, forceReason } = runtimeContext ?? {};
	return forceReason === "preflight_required" || trigger === "budget";
}

/** The host waits for it to go on with a turn: nobody waits for a model then. */
export function isUrgent({ runtimeContext }: CompactParams): boolean {
	const { trigger, forceReason } = runtimeContext ?? {};
	return trigger !== undefined || forceReason === "preflight_required";
}

function whyOf(params: CompactParams): "overflow" | "host-threshold" | "asked" {
	if (params.runtimeContext?.trigger === "overflow") return "overflow";
	return isUrgent(params) ? "host-threshold" : "asked";
}

/** The words are the host's: it takes "nothing to compact" and "already under target" for no failure. */
function unchanged(reason: string): CompactResult {
	return { ok: true, compacted: false, reason };
}

function aborted(): CompactResult {
	return { ok: false, compacted: false, reason: "The compaction was aborted; what was written stays." };
}
