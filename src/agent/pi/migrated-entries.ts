/**
 * Pi rewrites a session of format 1 when it opens it, and gives every entry a random id. If the log holds one copy and the
 * other comes in, we recognise an entry by its time and content, and keep its name.
 */

import { sha256 } from "../../base/hash/sha256.ts";
import { asObject, type JsonObject } from "../../base/json/read.ts";
import type { EventRecord } from "../../log/event/types.ts";

export interface PiLog {
	read(query: {
		readonly session: string;
		readonly host?: string;
		readonly types?: readonly string[];
		readonly limit?: number;
	}): Iterable<EventRecord>;
}

/** Maps an entry of the incoming copy to its entry in the log; undefined: the log has no copy with other ids. */
export function matchMigrated(
	log: PiLog,
	header: JsonObject,
	session: string,
): ((id: string, entry: JsonObject) => string | undefined) | undefined {
	const [first] = log.read({ session, host: "pi", types: ["SessionStarted"], limit: 1 });
	if (!first) return undefined;
	if (!lacksIds(header) && !looksMigrated(header) && first.payload["format"] !== "1") return undefined;

	const ids = new Set<string>();
	const byContent = new Map<string, string[]>();
	for (const record of log.read({ session, host: "pi", types: ["Message", "Entry"] })) {
		const entry = asObject(record.payload["raw"]);
		if (!entry || record.entry === null) continue;
		ids.add(record.entry);
		const key = contentKey(entry);
		const same = byContent.get(key);
		if (same) same.push(record.entry);
		else byContent.set(key, [record.entry]);
	}
	// Matches equal entries (a setting toggled twice in a millisecond) one to one, in order. An entry that the log knows by
	// the same id keeps it.
	return (id, entry) => {
		const same = byContent.get(contentKey(entry));
		if (!ids.has(id)) return same?.shift();
		const own = same?.indexOf(id) ?? -1;
		if (own !== -1) same?.splice(own, 1);
		return undefined;
	};
}

function lacksIds(header: JsonObject): boolean {
	return header["version"] === undefined || header["version"] === 1;
}

/** Pi writes the version second in a new session; the migration adds it at the end. */
function looksMigrated(header: JsonObject): boolean {
	return Object.keys(header).at(-1) === "version";
}

/** The entry without what the migration changes. */
function contentKey(entry: JsonObject): string {
	const { id, parentId, firstKeptEntryId, firstKeptEntryIndex, ...content } = entry;
	const message = asObject(content["message"]);
	const renamed = message?.["role"] === "hookMessage" ? { message: { ...message, role: "custom" } } : {};
	try {
		return sha256(JSON.stringify({ ...content, ...renamed })).slice(0, 32);
	} catch {
		// Nested too deeply for JSON; such an entry matches nothing.
		return "";
	}
}
