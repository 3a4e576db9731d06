/** How much is in the log, and what does it cost? */
import { countByType, type TypeCount } from "../log/counts.ts";
import type { Log } from "../log/log.ts";
import { type DiskUse, diskUse } from "./disk.ts";
import { agentSessions } from "./session.ts";

/** Types whose payload is the host's own entry; everything else is derived from them, or ours. */
const TRANSCRIPT_TYPES = new Set(["SessionStarted", "Message", "Entry"]);
const BYTES_PER_TOKEN = 3.2;

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

/** The type that a person names, in the spelling of the log; undefined where no event has it. */
export function eventTypes(log: Log): string[] {
	return countByType(log).map(({ type }) => type);
}
