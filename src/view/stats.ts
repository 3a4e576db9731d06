/** Counts of the log: events, sessions, tokens, disk space, summaries. */

import { formatBytes, formatCount, formatKilo } from "../base/text/bytes.ts";
import { cutWithEllipsis } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { BYTES_PER_TOKEN } from "../base/tokens/estimate.ts";
import { countByType, type TypeCount } from "../log/counts.ts";
import type { Log } from "../log/log.ts";
import type { History } from "../state/history/history.ts";
import { agentSessions } from "../state/session/find-session.ts";
import { type DiskUse, diskUse } from "./disk-use.ts";
import { LINE_TYPES } from "./export.ts";
import { type HistoryReport, historyReport } from "./history.ts";
import { shortSession } from "./short-session.ts";
import { renderPairs, renderRuled, type TextStyle } from "./text-style.ts";

/** A project may hold hundreds; the freshest are listed. */
const MAX_SESSIONS = 20;

/** Types whose payload is the host's own entry; everything else is derived from them, or ours. */
const TRANSCRIPT_TYPES = new Set<string>(LINE_TYPES);

export interface Stats {
	readonly events: number;
	readonly sessions: number;
	readonly messages: number;
	/** Bytes of the messages' JSON by 3.2; images count in full. */
	readonly tokens: number;
	readonly types: readonly TypeCount[];
	readonly disk: DiskUse;
	/** Bytes of the hosts' own entries. */
	readonly transcriptBytes: number;
	/** Bytes on disk for each of those; null where there are none. */
	readonly bytesPerTranscriptByte: number | null;
}

export function readStats(log: Log): Stats {
	// First, because it may write: the disk is weighed afterwards.
	const sessions = agentSessions(log).length;
	const types = countByType(log);
	const message = types.find(({ type }) => type === "Message");
	const transcriptBytes = types.reduce((sum, { type, bytes }) => sum + (TRANSCRIPT_TYPES.has(type) ? bytes : 0), 0);
	const disk = diskUse(log);
	return {
		events: types.reduce((sum, { events }) => sum + events, 0),
		sessions,
		messages: message?.events ?? 0,
		tokens: Math.round((message?.bytes ?? 0) / BYTES_PER_TOKEN),
		types: types.map((row) => ({ ...row })),
		disk,
		transcriptBytes,
		bytesPerTranscriptByte: transcriptBytes > 0 ? Number((disk.total / transcriptBytes).toFixed(3)) : null,
	};
}

const MAX_TITLE_CHARS = 40;

/** The types that events of the log have. */
export function eventTypes(log: Log): string[] {
	return countByType(log).map(({ type }) => type);
}

/** The JSON of `weft stats`. */
export interface StatsView extends Stats {
	/** How far the freshest sessions are summarised. */
	readonly history: readonly (HistoryReport & { readonly title: string | null })[];
}

export function viewStats(log: Log, history: History): StatsView {
	const sessions = agentSessions(log).filter(({ messages }) => messages > 0);
	const histories = sessions.slice(0, MAX_SESSIONS).map((session) => ({
		...historyReport(history, session),
		title: session.title,
	}));
	const stats = readStats(log);
	return { ...stats, history: histories };
}

export function* renderStats(stats: StatsView, style: TextStyle): Generator<string> {
	const numbers = (rows: readonly (readonly [string, string])[]) => renderPairs(style, rows, { align: "right" });
	yield* numbers([
		["events", formatCount(stats.events)],
		["sessions", formatCount(stats.sessions)],
		["messages", formatCount(stats.messages)],
		["tokens, about", formatCount(stats.tokens)],
	]);
	yield "";
	yield* renderRuled(
		style,
		[{ title: "type" }, { title: "events", align: "right" }, { title: "JSON", align: "right" }],
		stats.types.map((row) => [oneLine(row.type), formatCount(row.events), formatBytes(row.bytes)]),
	);
	yield "";
	const { disk } = stats;
	yield* numbers([
		["events and blobs", formatBytes(disk.log)],
		["search index", formatBytes(disk.search)],
		["other tables", formatBytes(disk.state)],
		["write-ahead log", formatBytes(disk.wal)],
		["archives", formatBytes(disk.archive)],
		["other files", formatBytes(disk.other)],
		["on disk", formatBytes(disk.total)],
	]);
	if (stats.bytesPerTranscriptByte !== null) {
		yield "";
		yield `${stats.bytesPerTranscriptByte.toFixed(2)} bytes on disk for each byte of transcript (${formatBytes(stats.transcriptBytes)})`;
	}
	if (stats.history.length === 0) return;
	yield "";
	yield* renderRuled(
		style,
		[
			{ title: "session" },
			{ title: "on branch", align: "right" },
			{ title: "summaries", align: "right" },
			{ title: "depth", align: "right" },
			{ title: "covered", align: "right" },
			{ title: "tokens", align: "right" },
			{ title: "in", align: "right" },
		],
		stats.history.map(({ session, title, path, summaries, depth, tokens }) => [
			cutWithEllipsis(oneLine(title ?? shortSession(session)), MAX_TITLE_CHARS),
			formatCount(path.messages),
			...(summaries === 0
				? ["–", "–", "–", "–", "–"]
				: [
						formatCount(summaries),
						String(depth),
						`${Math.round((path.covered / Math.max(1, path.messages)) * 100)} %`,
						formatKilo(tokens.covered),
						formatKilo(tokens.summaries),
					]),
		]),
	);
}
