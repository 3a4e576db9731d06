/** The history section of a session, ready for a host: what `lossless` puts before the messages that stay. */
import { messageText, viewMessage } from "../message/view.ts";
import { type AssembledHistory, assembleHistory } from "./assemble.ts";
import type { History } from "./history.ts";
import { shorten } from "./source.ts";
import type { HistoryPath } from "./types.ts";

const REQUEST_TOKENS = 1_000;

export function historySection(
	history: History,
	path: HistoryPath,
	options: { readonly maxTokens: number },
): AssembledHistory | undefined {
	const request = coveredRequest(history, path);
	return assembleHistory(history, path.nodes, { ...options, ...(request ? { request } : {}) });
}

/**
 * The newest request, where it went under a node because too much was done since. It is judged by what was there when the
 * newest node was written: a request that comes later must not change the section's bytes.
 */
function coveredRequest(history: History, path: HistoryPath): { seq: number; text: string } | undefined {
	const newest = path.nodes.at(-1);
	if (!newest) return undefined;
	const written = Math.max(...path.nodes.map(({ seq }) => seq));
	if (path.runs.flat().some(({ asks, seq }) => asks && seq < written)) return undefined;
	for (const entry of history.tree.upward(newest.last)) {
		if (!entry.asks) continue;
		const record = history.log.get(entry.seq);
		return record && { seq: entry.seq, text: shorten(messageText(viewMessage(record.payload)), REQUEST_TOKENS) };
	}
	return undefined;
}
