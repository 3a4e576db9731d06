/**
 * Pi rewrites a session of format 1 when it opens it: every entry gets a random id. Where the log holds one copy and the
 * other comes in, the same entry is known again by its time and its content, and goes by the name it already has.
 */

import { sha256 } from "../../base/hash/sha256.ts";
import { asObject, type JsonObject } from "../../base/json/read.ts";
import type { EventRecord } from "../../log/event/types.ts";

/** What of the log is needed here. */
export interface SessionSource {
	read(query: {
		readonly session: string;
		readonly host?: string;
		readonly types?: readonly string[];
		readonly limit?: number;
	}): Iterable<EventRecord>;
}

/** Says under which entry the log holds an entry of the incoming copy; undefined: no copy with other ids can be there. */
export function matchMigrated(
	log: SessionSource,
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
	// Equal entries (a setting toggled twice in a millisecond) are matched one to one, in order; one that comes in under
	// its own name stands for itself.
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
		// Nested deeper than JSON can be written; an entry like that matches nothing.
		return "";
	}
}
