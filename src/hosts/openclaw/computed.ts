/**
 * `warp` and `lossless`: a computed context, or the summaries, in the place of what is gone; behind it the host's own
 * messages. Within a run the text that opens it stays as it is.
 */
import { planRequest } from "../../context/request/plan.ts";
import { lookingWeaver } from "../../context/request/requests.ts";
import type { Engine } from "../../engine.ts";
import type { Summariser } from "../../history/summariser.ts";
import { diskFiles } from "../../work/file-source.ts";
import { type AssembleContext, answer, windowOf } from "./assemble.ts";
import type { AssembleParams, AssembleResult, CompactParams, CompactResult } from "./contract.ts";
import { openingMessage, withoutOwn } from "./own-message.ts";
import type { OpenClawSession } from "./session.ts";

export type ComputedMode = "warp" | "lossless";

/** What opened the run that is going on, by session. */
export type Openings = Map<string, { readonly run: string; readonly text: string }>;

export async function assembleComputed(
	engine: Engine,
	mode: ComputedMode,
	params: AssembleParams,
	{ sessions, budget, now, openings }: AssembleContext & { readonly openings: Openings },
): Promise<AssembleResult> {
	const own = withoutOwn(params.messages);
	const { entries, session } = sessions.record(params, own, "path");
	const { history, project } = engine;
	history.catchUp();
	const window = windowOf(budget);
	const plan = await planRequest(
		{
			session: session.ref,
			mode,
			window,
			leaf: entries.length === 0 ? undefined : history.tree.find(session.ref, entries.at(-1)!),
			cold: false,
			now,
		},
		{
			history,
			weaver: lookingWeaver(() => engine.weave({ ...session.ref, window })),
			state: engine.state,
			files: () => diskFiles(project.root),
			compact: async () => {
				await session.summarise();
			},
		},
	);
	// The log may know more than the host shows: what the host has left out stays out.
	const kept = new Set(plan.messages.map(({ id }) => id));
	const tail = own.filter((_, at) => kept.has(entries[at]!));
	if (!plan.opening) return answer(tail, own, params, budget);
	const run = `${plan.messages[0]?.id} ${mode === "warp" ? plan.messages[1]?.id : plan.opening.id}`;
	const known = openings.get(params.sessionId);
	const text = known?.run === run ? known.text : plan.opening.text;
	openings.set(params.sessionId, { run, text });
	return answer([openingMessage(text, plan.opening.id, tail[0]), ...tail], own, params, budget);
}

/** For `lossless`; in `warp` there is nothing that could be compacted. */
export async function compactComputed(
	engine: Engine,
	mode: ComputedMode,
	session: OpenClawSession,
	{ abortSignal: signal }: CompactParams,
	models: readonly Summariser[],
): Promise<CompactResult> {
	if (mode === "warp") return { ok: true, compacted: false, reason: "warp computes the context anew for every run." };
	const size = () => {
		const { nodes, runs } = engine.history.path(session.ref);
		return [...nodes, ...runs.flat()].reduce((sum, { tokens }) => sum + tokens, 0);
	};
	const tokensBefore = size();
	const { compacted, leaves, condensed } = await session.summarising({ models, ...(signal ? { signal } : {}) }, () =>
		session.summarise(),
	);
	if (!compacted)
		return { ok: true, compacted: false, reason: "There is nothing before the newest turns to summarise." };
	const details = { weft: { leaves: leaves.length, condensed: condensed.length } };
	return { ok: true, compacted: true, result: { tokensBefore, tokensAfter: size(), details } };
}
