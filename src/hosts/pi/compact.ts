/**
 * When Pi is about to compact: because of its threshold, because the user asks, or because a request was too large. In
 * `woven` the answer is a seal, else the history of nodes. Undefined, where there is nothing to summarise: Pi's own way.
 */
import type { SessionBeforeCompactEvent, SessionBeforeCompactResult } from "@earendil-works/pi-coding-agent";
import { assembleHistory } from "../../history/assemble.ts";
import { HISTORY_DEFAULTS } from "../../history/types.ts";
import { messageText, viewMessage } from "../../message/view.ts";
import { plural } from "../../text/bytes.ts";
import type { LiveSession } from "./live-session.ts";
import { summarisers } from "./models.ts";
import { projectBranch } from "./projection.ts";
import { sealIfDue } from "./seal.ts";

/** Of the window, at most, for the assembled history. */
const HISTORY_WINDOW_SHARE = 0.2;

export async function compactForPi(
	event: SessionBeforeCompactEvent,
	live: LiveSession,
): Promise<SessionBeforeCompactResult | undefined> {
	switch (live.mode()) {
		case "off":
			return undefined;
		case "woven":
			return sealForPi(event, live);
		case "warp":
		case "lossless":
			return historyForPi(event, live);
	}
}

async function sealForPi(
	{ preparation, customInstructions, reason, signal }: SessionBeforeCompactEvent,
	live: LiveSession,
): Promise<SessionBeforeCompactResult | undefined> {
	const entries = projectBranch(live.ctx.sessionManager);
	const models = customInstructions === undefined ? [] : summarisers(live, customInstructions);
	const sealed = await sealIfDue(live, entries, { force: true, shrink: reason === "overflow", models, signal });
	if (!sealed) return undefined;
	const { seal, details } = sealed;
	live.mention(sealed.notice);
	const { tokensBefore } = preparation;
	return { compaction: { summary: seal.seed.text, firstKeptEntryId: seal.from, tokensBefore, details } };
}

async function historyForPi(
	{ preparation, customInstructions, signal }: SessionBeforeCompactEvent,
	live: LiveSession,
): Promise<SessionBeforeCompactResult | undefined> {
	const { history } = live.engine;
	const { path, leaves } = await live.summarise({
		keep: preparation.firstKeptEntryId,
		settings: { minMessages: 1 },
		// `warp` needs no model: what it shows is computed.
		models: live.mode() === "lossless" ? summarisers(live, customInstructions) : [],
		signal,
		onProgress: (done, total) => live.mention(`${done} of ${plural(total, "summary", "summaries")} written.`),
	});
	// What is not covered stays: Pi's own cut may lie inside a turn, ours never does.
	const first = path.nodes.length > 0 ? path.runs.at(-1)?.[0] : undefined;
	if (!first || signal.aborted) return undefined;
	const maxTokens = Math.min(HISTORY_DEFAULTS.maxSummaryTokens, Math.floor(live.window * HISTORY_WINDOW_SHARE));
	const request = newestRequest(live, path.leaf ?? null, first.seq);
	const assembled = assembleHistory(history, path.nodes, { maxTokens, ...(request ? { request } : {}) });
	if (!assembled) return undefined;
	live.reasons.add("compaction");
	live.mention(`compacted: ${plural(leaves.length, "new summary", "new summaries")}; every message can be fetched.`);
	const details = { weft: "history", nodes: path.nodes.map(({ id }) => id) };
	const { tokensBefore } = preparation;
	return { compaction: { summary: assembled.text, firstKeptEntryId: first.entry, tokensBefore, details } };
}

/** What the user asked last, where it is no longer among the raw messages. */
function newestRequest(live: LiveSession, leaf: number | null, firstRaw: number) {
	const { tree, log } = live.engine.history;
	for (const entry of tree.upward(leaf)) {
		if (!entry.asks) continue;
		if (entry.seq >= firstRaw) return undefined;
		const record = log.get(entry.seq);
		return record ? { seq: entry.seq, text: messageText(viewMessage(record.payload)) } : undefined;
	}
	return undefined;
}
