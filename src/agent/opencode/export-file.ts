/** A session as `opencode export` writes it: one JSON value, `{info, messages: [{info, parts}]}`. */
import { dirname } from "node:path";
import { asList, asName, asNumber, asObject, type JsonObject } from "../../base/json/read.ts";
import { sliceList } from "../../base/json/slice.ts";
import type { SourceFile, StoreSession } from "../recorded/session-reader.ts";
import { isDone, sessionOf } from "./session.ts";

/** Undefined: not an export. */
export function exportedSession(
	host: string,
	value: JsonObject,
	text: string,
	file: SourceFile,
): StoreSession | undefined {
	const info = asObject(value["info"]);
	const id = asName(info?.["id"]);
	const cut = info && id?.startsWith("ses_") ? sliceList(text, "messages") : undefined;
	if (!cut || id === undefined) return undefined;
	const last = asObject(asObject(asList(value["messages"]).at(-1))?.["info"]);
	// The program may have been at work on the last message when it was exported.
	const elements = isDone(last) ? cut.elements : cut.elements.slice(0, -1);
	return {
		...sessionOf({
			host,
			id,
			// The parent is in a file of its own.
			parents: new Map([[id, asName(info?.["parentID"])]]),
			cwd: asName(info?.["directory"]),
			version: asName(info?.["version"]),
			created: asNumber(asObject(info?.["time"])?.["created"]),
			folder: dirname(file.path),
		}),
		records: () => [cut.rest, ...elements].map((record) => ({ text: record })),
	};
}
