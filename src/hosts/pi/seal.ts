/**
 * A seal in Pi: what leaves is summarised, the seed is frozen, and both go to Pi as a compaction of its own, so that the
 * session stays sane without us. The seal counts, and is written down, once Pi has taken it.
 */
import type { SessionBoundaryDraft } from "@earendil-works/pi-coding-agent";
import { CACHE_TTL_MS } from "../../context/cache/ledger.ts";
import type { Seal } from "../../context/seal/epochs.ts";
import { sealEvent } from "../../context/seal/weave.ts";
import type { Summariser } from "../../history/summariser.ts";
import { formatCount, plural } from "../../text/bytes.ts";
import { activePath, type SealDetails, sealedFrom } from "./active-path.ts";
import type { LiveSession } from "./live-session.ts";
import type { Projected } from "./projection.ts";

export interface Sealed {
	readonly seal: Seal;
	readonly details: SealDetails;
	readonly notice: string;
}

export interface SealOptions {
	/** Somebody asks for it: the user, or Pi because a request was too large. */
	readonly force?: boolean;
	/** A request was too large: what comes in place of what leaves must be much smaller. */
	readonly shrink?: boolean;
	/** Who summarises what leaves; by default the deterministic one alone, which takes no time. */
	readonly models?: readonly Summariser[];
	readonly signal?: AbortSignal;
}

/** At a closed turn. `entries`: what Pi would send. Undefined: it does not pay yet. */
export async function sealIfDue(
	live: LiveSession,
	entries: readonly Projected[],
	options: SealOptions = {},
): Promise<Sealed | undefined> {
	const weave = live.weave();
	if (!weave) return undefined;
	const { messages, standing } = activePath(entries, (from) => weave.epochs.seals.some((seal) => seal.from === from));
	const next = { cold: isCold(live), standing, force: options.force ?? false };
	const first = weave.wouldSeal(messages, next);
	if (first !== undefined) {
		await live.summarise({
			keep: messages[first]!.id,
			// What leaves must be covered, however little it is.
			settings: { minMessages: 1 },
			models: options.models ?? [],
			...(options.signal ? { signal: options.signal } : {}),
		});
	}
	const leaving = messages.slice(0, first ?? 0).reduce((sum, { tokens }) => sum + tokens, 0);
	const shrunk = options.shrink && standing === null ? { seedTokens: Math.floor(leaving / 2) } : {};
	const plan = weave.next(messages, { ...next, ...shrunk });
	if (!plan.fresh || !plan.seal) return undefined;
	live.pendingSeal = plan.seal;
	live.reasons.add(`seal (${plan.decision.why})`);
	const details: SealDetails = { weft: "seal", nodes: nodesOf(live), why: plan.decision.why };
	return { seal: plan.seal, details, notice: noticeOf(plan.seal) };
}

/** For `turn_end`: the seal itself, and before it the ids of the nodes that stand for what left. */
export function sealDrafts({ seal, details }: Sealed): SessionBoundaryDraft[] {
	return [
		{ type: "custom", customType: "weft.nodes", data: { nodes: details.nodes, from: seal.from } },
		{ type: "compaction", summary: seal.seed.text, firstKeptEntryId: seal.from, details },
	];
}

/** At the next hook: has Pi taken it? If not, it was none. */
export function settleSeal(live: LiveSession): void {
	const seal = live.pendingSeal;
	if (!seal) return;
	live.pendingSeal = undefined;
	const newest = live.ctx.sessionManager.getBranch().findLast(({ type }) => type === "compaction");
	if (newest && sealedFrom(newest) === seal.from) {
		const { session, host } = live.session;
		live.engine.record([sealEvent(seal, session, host, Date.now())]);
	} else live.forgetWeave();
}

/** The nodes that stand for what is no longer there. */
export function nodesOf(live: LiveSession): string[] {
	return live.engine.history.path(live.session, live.leaf()).nodes.map(({ id }) => id);
}

/** The provider has forgotten the session's last request by now. */
export function isCold(live: LiveSession): boolean {
	const at = live.lastSentAt();
	return at !== undefined && Date.now() - at > CACHE_TTL_MS;
}

function noticeOf({ left, tokensBefore, tokensAfter, decision }: Seal): string {
	const sizes = `${formatCount(tokensBefore)} → ${formatCount(tokensAfter)} tokens`;
	return `sealed (${decision.why}): ${plural(left, "message")} left the context, ${sizes}; all of it can be fetched.`;
}
