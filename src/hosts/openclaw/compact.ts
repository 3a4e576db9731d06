/** Compaction that somebody asks for: a seal of what the log has of the session. The host's transcript stays as it is. */
import { ceilingTokens } from "../../context/seal/seal-rule.ts";
import type { Summariser } from "../../history/summariser.ts";
import { windowOf } from "./assemble.ts";
import type { CompactParams, CompactResult } from "./contract.ts";
import type { OpenClawSession } from "./session.ts";

export async function compactSession(
	session: OpenClawSession,
	params: CompactParams,
	models: readonly Summariser[],
	model: string | undefined,
): Promise<CompactResult> {
	const { abortSignal: signal } = params;
	if (signal?.aborted) return aborted();
	const window = windowOf(params.tokenBudget ?? params.runtimeContext?.tokenBudget);
	const weaver = session.weaver(model, window);
	const path = session.path(weaver.seals);
	if (path.length === 0) return unchanged("Nothing is recorded of this session yet.");
	const standing = weaver.seals.findLast(({ from }) => from === path[0]!.id);
	const before = path.reduce((sum, { tokens }) => sum + tokens, standing?.seed.tokens ?? 0);
	const target = params.compactionTarget === "threshold" ? ceilingTokens(window) : window;
	if (!isWanted(params, target) && before <= target) {
		return unchanged(`The context has about ${before} tokens, which is within ${target}.`);
	}
	const plan = await session
		.summarising({ models, ...(signal ? { signal } : {}) }, () => weaver.next(path, { cold: false, force: true }))
		.catch((error: unknown) => {
			if (signal?.aborted) return undefined;
			throw error;
		});
	if (!plan) return aborted();
	if (!plan.fresh || !plan.seal) return unchanged("Nothing can leave: the newest turn and the seed are all there is.");
	const { seed, from, tokensBefore, tokensAfter, left } = plan.seal;
	return {
		ok: true,
		compacted: true,
		result: { summary: seed.text, tokensBefore, tokensAfter, details: { weft: { from, left } } },
	};
}

/** A host that names more tokens than it allows has been told so by the provider, whatever we count. */
function isWanted({ force, currentTokenCount, tokenBudget }: CompactParams, target: number): boolean {
	return force === true || (currentTokenCount !== undefined && currentTokenCount > (tokenBudget ?? target));
}

function unchanged(reason: string): CompactResult {
	return { ok: true, compacted: false, reason };
}

function aborted(): CompactResult {
	return { ok: false, compacted: false, reason: "The compaction was aborted; what was written stays." };
}
