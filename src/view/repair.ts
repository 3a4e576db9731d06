/** Proves that every byte comes back: fetches a log's content through `lcm_expand` alone and compares it with the file. */

import { hash } from "node:crypto";
import { EngineError } from "../base/error/engine-error.ts";
import { asText } from "../base/json/read.ts";
import { formatBytes, plural } from "../base/text/bytes.ts";
import { oneLine } from "../base/text/printable.ts";
import { entryName } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { RepairReport } from "../log/repair/repair.ts";
import { blobHandle } from "../state/history/handle.ts";
import { History } from "../state/history/history.ts";
import { EVERYONE } from "../state/session/scope.ts";
import { lcmExpand } from "../tool/expand.ts";
import type { ToolContext } from "../tool/types.ts";
import { LINE_TYPES, lineOf } from "./export.ts";
import type { TextStyle } from "./text-style.ts";

const MAX_SHOWN = 20;

interface RecoveryReport {
	/** Lines of the file that were imported. */
	readonly lines: number;
	readonly messages: number;
	/** Entries that hold no message. */
	readonly entries: number;
	/** Lines that are no entries, kept verbatim. */
	readonly foreign: number;
	readonly blobs: number;
	readonly bytes: number;
	readonly pages: number;
	/** The last line, if it is incomplete: it was not imported. */
	readonly halfLine?: number | undefined;
	/** Handles and line numbers that did not come back. */
	readonly missing: readonly string[];
}

interface RecoverOptions {
	/** The lines of the file, each with its number. Undefined: the line is too long. */
	readonly lines: AsyncIterable<{
		readonly number: number;
		readonly line: string | Buffer | undefined;
		/** The agent may still be writing it. */
		readonly isHalf?: boolean | undefined;
	}>;
	/** Size of the pages. */
	readonly maxTokens?: number | undefined;
	readonly onProgress?: ((messages: number) => void) | undefined;
}

export async function recover(log: Log, options: RecoverOptions): Promise<RecoveryReport> {
	const context: ToolContext = {
		history: new History(log),
		session: { session: "", host: "" },
		scope: EVERYONE,
		now: 0,
	};
	/** Line numbers by hash: the same line may occur twice. */
	const wanted = new Map<string, number[]>();
	const missing: string[] = [];
	let lines = 0;
	let halfLine: number | undefined;
	for await (const { number, line, isHalf } of options.lines) {
		if (isHalf) {
			halfLine = number;
			continue;
		}
		lines++;
		if (line === undefined) missing.push(`line ${number}`);
		else wanted.set(sha256(line), [...(wanted.get(sha256(line)) ?? []), number]);
	}
	const counts = { messages: 0, entries: 0, foreign: 0, blobs: 0, bytes: 0, pages: 0 };
	const fetch = async (handle: string) => {
		const { bytes, pages } = await readThrough(context, handle, options.maxTokens);
		counts.bytes += bytes.length;
		counts.pages += pages;
		return bytes;
	};
	const given = new Set<string>();
	/** Entries that hold a message: weft made it from their line. */
	const carriers = new Set<string>();
	const entries: string[] = [];
	for (const record of log.read({ types: [...LINE_TYPES] })) {
		const from = asText(record.payload["from"]);
		if (from !== undefined && record.type === "Message") {
			counts.messages++;
			carriers.add(from);
		}
		// An event that weft derived from a line is not a line itself.
		if (from !== undefined) continue;
		const isMessage = record.type === "Message";
		const handle = handleOf(record);
		const bytes = await fetch(handle);
		const { line, of } = isMessage ? { line: bytes } : lineOf(bytes.toString("utf8"));
		if (of !== undefined) given.add(of);
		// weft made up the beginning of a session that its agent never announced.
		if (line === undefined) continue;
		if (isMessage || record.type === "ForeignLine") counts[isMessage ? "messages" : "foreign"]++;
		else entries.push(record.entry ?? "");
		if (!given.has(entryName(record)) && wanted.get(sha256(line))?.pop() === undefined) missing.push(handle);
		options.onProgress?.(counts.messages);
	}
	counts.entries = entries.filter((entry) => !carriers.has(entry)).length;
	for (const name of log.blobHashes()) {
		counts.blobs++;
		if (sha256(await fetch(`b-${name}`)) !== name) missing.push(blobHandle(name));
	}
	for (const numbers of wanted.values()) missing.push(...numbers.map((number) => `line ${number}`));
	return { lines, ...counts, halfLine, missing };
}

export function* renderRecovery(recovery: RecoveryReport): Generator<string> {
	const { messages, entries, foreign, blobs, bytes, pages, missing, lines, halfLine } = recovery;
	yield `${plural(messages, "message")}, ${plural(entries, "other entry", "other entries")} and ${plural(blobs, "blob")}: ${formatBytes(bytes)} fetched back in ${plural(pages, "page")}.`;
	if (foreign > 0) yield `${plural(foreign, "line")} kept as in the file: unreadable, repeated, or not UTF-8.`;
	if (halfLine !== undefined)
		yield `Line ${halfLine}, the last one, is incomplete: its program may still be writing it. weft imports it when it is complete.`;
	if (missing.length === 0) {
		yield `All of ${plural(lines, "line")} came back, byte for byte.`;
		return;
	}
	const more = missing.length > MAX_SHOWN ? ", …" : "";
	yield `${plural(missing.length, "thing")} did not come back: ${missing.slice(0, MAX_SHOWN).join(", ")}${more}`;
}

function sha256(content: string | Buffer): string {
	return hash("sha256", content, "hex");
}

interface ReadThrough {
	readonly bytes: Buffer;
	readonly pages: number;
}

/**
 * Reads content to its end through `lcm_expand` alone, as a model would: proves that everything is reachable. Joins the
 * pages of a message, an event or a blob.
 */
export async function readThrough(context: ToolContext, handle: string, maxTokens = 8_000): Promise<ReadThrough> {
	const parts: Buffer[] = [];
	let offset = 0;
	for (;;) {
		const args = { summary_id: handle, max_tokens: maxTokens, offset };
		const { text, details, isError } = await lcmExpand.run(context, args);
		if (isError) throw new EngineError("not-found", text);
		parts.push(Buffer.from(between(text), details["encoding"] === "base64" ? "base64" : "utf8"));
		const next = details["next"];
		if (typeof next !== "number") return { bytes: Buffer.concat(parts), pages: parts.length };
		if (next <= offset) throw new EngineError("damaged", `The pages of ${handle} do not advance at byte ${offset}.`);
		offset = next;
	}
}

/** A page's text without its first and its last line. */
function between(text: string): string {
	return text.slice(text.indexOf("\n") + 1, text.lastIndexOf("\n"));
}

/** The JSON of `weft repair`. */
export interface RepairView extends RepairReport {
	/** Searched files, and how many events or blobs each restored. */
	readonly files: readonly { readonly file: string; readonly restored: number }[];
	/** The folder of the damaged bytes. */
	readonly damaged: string;
}

export function* renderRepair(view: RepairView, style: TextStyle): Generator<string> {
	const { lost, restored, isolated, relinked, left, files, damaged } = view;
	if (relinked > 0) yield `${plural(relinked, "hash", "hashes")} computed again.`;
	if (lost === 0) {
		yield `${style.paint("green", "✓")} Nothing is lost.`;
		return;
	}
	yield `${plural(lost, "event or blob", "events or blobs")} damaged, ${restored} restored, ${left.length} still lost.`;
	for (const { file, restored: from } of files.filter((each) => each.restored > 0)) {
		yield `  ${from} from ${oneLine(file)}`;
	}
	for (const each of left.slice(0, MAX_SHOWN)) yield `  lost: ${oneLine(each)}`;
	if (left.length > MAX_SHOWN) yield `  … and ${left.length - MAX_SHOWN} more`;
	if (isolated > 0) yield `The damaged bytes are in ${oneLine(damaged)}. Everything else is whole.`;
	if (left.length > 0) yield "If another machine or a backup has a copy: weft repair FILE";
}
