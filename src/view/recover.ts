/** Does every byte come back? Fetches what a log holds through `lcm_expand` alone, and compares with what came in. */
import { hash } from "node:crypto";
import { blobHandle } from "../history/handle.ts";
import { History } from "../history/history.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import { splitLast } from "../log/payload.ts";
import { formatBytes, plural } from "../text/bytes.ts";
import { readThrough } from "../tool/read-through.ts";
import type { ToolContext } from "../tool/types.ts";

const MOST_SHOWN = 20;

export interface Recovery {
	/** Lines of the file that were read in. */
	readonly lines: number;
	readonly messages: number;
	readonly entries: number;
	readonly blobs: number;
	readonly bytes: number;
	readonly pages: number;
	/** What did not come back: handles, and numbers of lines. */
	readonly missing: readonly string[];
}

export interface RecoverOptions {
	/** The lines as they stand in the file, each with its number. */
	readonly lines: AsyncIterable<{ readonly number: number; readonly text: string }>;
	/** Size of the pages. */
	readonly maxTokens?: number | undefined;
	readonly onProgress?: ((messages: number) => void) | undefined;
}

export async function recover(log: Log, options: RecoverOptions): Promise<Recovery> {
	const context: ToolContext = { history: new History(log), session: { session: "", host: "" }, now: 0 };
	const wanted = new Map<string, number>();
	for await (const { number, text } of options.lines) wanted.set(sha256(text), number);
	const lines = wanted.size;
	const missing: string[] = [];
	const counts = { messages: 0, entries: 0, blobs: 0, bytes: 0, pages: 0 };
	const came = new Set<string>();
	const fetch = async (handle: string) => {
		const { bytes, pages } = await readThrough(context, handle, options.maxTokens);
		counts.bytes += bytes.length;
		counts.pages += pages;
		return bytes;
	};
	for (const record of log.read({ types: ["SessionStarted", "Message", "Entry"] })) {
		const isMessage = record.type === "Message";
		const handle = handleOf(record);
		const bytes = await fetch(handle);
		const raw = isMessage ? bytes : splitLast(bytes.toString("utf8"), "raw");
		// A session that its host never announced has a beginning of our own making.
		if (raw === undefined) continue;
		const sum = sha256(raw);
		counts[isMessage ? "messages" : "entries"]++;
		if (wanted.has(sum)) came.add(sum);
		else missing.push(handle);
		options.onProgress?.(counts.messages);
	}
	for (const name of log.blobHashes()) {
		counts.blobs++;
		if (sha256(await fetch(`b-${name}`)) !== name) missing.push(blobHandle(name));
	}
	for (const [sum, number] of wanted) if (!came.has(sum)) missing.push(`line ${number}`);
	return { lines, ...counts, missing };
}

/** `malformed`: lines of the file that could not be read in. */
export function* renderRecovery(recovery: Recovery, malformed: number): Generator<string> {
	const { messages, entries, blobs, bytes, pages, missing, lines } = recovery;
	yield `${plural(messages, "message")}, ${plural(entries, "other entry", "other entries")} and ${plural(blobs, "blob")}: ${formatBytes(bytes)} fetched back in ${plural(pages, "page")}.`;
	if (malformed > 0) yield `${plural(malformed, "line")} could not be read in, or not exactly.`;
	if (missing.length === 0) {
		yield `All of ${plural(lines, "line")} came back, byte for byte.`;
		return;
	}
	const more = missing.length > MOST_SHOWN ? ", …" : "";
	yield `${plural(missing.length, "thing")} did not come back: ${missing.slice(0, MOST_SHOWN).join(", ")}${more}`;
}

function sha256(content: string | Buffer): string {
	return hash("sha256", content, "hex");
}
