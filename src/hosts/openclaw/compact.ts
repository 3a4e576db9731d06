/** Compaction that somebody asks for: a seal of what the log has of the session. The host's transcript stays as it is. */
import { ceilingTokens } from "../../context/seal/rule.ts";
import type { Engine } from "../../engine.ts";
import type { Summariser } from "../../history/summariser.ts";
import type { SessionRef } from "../../session/tree.ts";
import type { CompactParams, CompactResult } from "./contract.ts";
import { windowOf } from "./size.ts";

export async function compactSession(
	engine: Engine,
	session: SessionRef,
	params: CompactParams,
	models: readonly Summariser[],
	model: string | undefined,
): Promise<CompactResult> {
	const { abortSignal: signal } = params;
	if (signal?.aborted) return aborted();
	const window = windowOf(params.tokenBudget ?? params.runtimeContext?.tokenBudget);
	const input = { ...session, model, window };
	const { mode, messages, tokens } = engine.plan({ ...input, decide: false });
	if (mode === "off") return { ok: false, compacted: false, reason: "weft only records: the host compacts." };
	if (mode === "warp") return unchanged("warp computes the context again for every run.");
	if (messages.length === 0) return unchanged("Nothing is recorded of this session yet.");
	const target = params.compactionTarget === "threshold" ? ceilingTokens(window) : window;
	if (!isWanted(params, target) && tokens <= target) {
		return unchanged(`The context has about ${tokens} tokens, which is within ${target}.`);
	}
	const seal = await engine.seal({ ...input, models, signal, force: true }).catch((error: unknown) => {
		if (signal?.aborted) return "aborted" as const;
		throw error;
	});
	if (seal === "aborted") return aborted();
	if (!seal) return unchanged("Nothing can leave: the newest turn and the seed are all there is.");
	const { seed, from, tokensBefore, tokensAfter, left } = seal;
	const details = { weft: { from, left } };
	return { ok: true, compacted: true, result: { summary: seed.text, tokensBefore, tokensAfter, details } };
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
