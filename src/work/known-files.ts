/**
 * A file as the log last knew it, put together when it is asked for: back to where it was shown or written whole, then
 * forward over what happened to it since. For the few files of a working set it costs the same however long the log is;
 * `recordedFiles` walks everything and knows every file.
 */
import type { EventRecord } from "../event/types.ts";
import { textIn } from "../fold/payload.ts";
import type { LogView } from "../log/types.ts";
import type { FileContent, FileSource } from "./file-source.ts";
import { RecordedFiles } from "./recorded-files.ts";

/** Of one file. Where its text lies further back than this, what is known of it is not whole. */
const MOST_EVENTS = 60;
/** The call stands shortly before its result. */
const MOST_CALLS = 200;

export function knownFiles(log: Pick<LogView, "read" | "get">, upTo: number): FileSource {
	const known = new Map<string, FileContent>();
	return {
		read(path) {
			let content = known.get(path);
			if (!content) {
				content = readKnown(log, path, upTo);
				known.set(path, content);
			}
			return content;
		},
	};
}

function readKnown(log: Pick<LogView, "read" | "get">, path: string, upTo: number): FileContent {
	const records = new Map<number, EventRecord>();
	const take = (record: EventRecord | undefined): void => {
		if (record) records.set(record.seq, record);
	};
	const query = { file: path, types: ["FileRead", "FileChanged"], upTo, order: "newest", limit: MOST_EVENTS } as const;
	for (const event of log.read(query)) {
		for (const start of log.read({ session: event.session, types: ["SessionStarted"], limit: 1 })) take(start);
		take(event.type === "FileChanged" ? event : undefined);
		take(event.cause === null ? undefined : log.get(event.cause));
		take(callOf(log, event));
		if (textIn(event.payload, "fileHash") !== null || event.payload["kind"] === "write") break;
	}
	const files = new RecordedFiles();
	for (const seq of [...records.keys()].sort((one, other) => one - other)) files.apply(records.get(seq)!);
	return files.read(path);
}

/** The message that holds the call, with its arguments whole. */
function callOf(log: Pick<LogView, "read" | "get">, event: EventRecord): EventRecord | undefined {
	const callId = textIn(event.payload, "callId");
	if (callId === null) return undefined;
	const query = { session: event.session, types: ["ToolCalled"], upTo: event.seq, order: "newest" } as const;
	for (const called of log.read({ ...query, limit: MOST_CALLS })) {
		if (called.payload["callId"] === callId) return called.cause === null ? undefined : log.get(called.cause);
	}
	return undefined;
}
