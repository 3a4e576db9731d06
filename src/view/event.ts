/** One event, whole: as a record, and as text in pages. */

import { isAbsolute, relative, resolve, sep } from "node:path";
import { EngineError } from "../base/error/engine-error.ts";
import { writeJson } from "../base/json/write.ts";
import { cutStart } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatTime } from "../base/text/time.ts";
import type { EventRecord } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { StoredRecord } from "../log/read.ts";
import { type Block, viewMessage } from "../message/view.ts";
import { renderPairs, type TextStyle } from "./text-style.ts";

/** The JSON of `weft show`. */
export function readEvent(log: Log, handle: string): EventRecord {
	const { seq, lost } = findEvent(log, handle);
	const record = lost === undefined ? log.get(seq) : undefined;
	if (record) return record;
	throw new EngineError("damaged", `Event ${seq} ${lost}. 'weft repair' looks for a copy of it.`);
}

export interface TextPage {
	readonly text: string;
	readonly offset: number;
	readonly total: number;
	/** Where the next page begins; null: this is the end. */
	readonly next: number | null;
}

interface PageOptions {
	/** The agent's own entry, byte for byte, instead of the readable text. */
	readonly raw: boolean;
	readonly offset: number;
	readonly limit: number;
}

/** A page of an event's text. Pages join without a gap and never split a character. */
export function readEventText(log: Log, record: EventRecord, { raw, offset, limit }: PageOptions): TextPage {
	const whole = raw ? rawText(log, record) : readableText(record);
	const start = Math.min(offset, whole.length);
	const text = cutStart(whole.slice(start), limit);
	const end = start + text.length;
	return { text, offset: start, total: whole.length, next: end < whole.length ? end : null };
}

export function renderEventHeader(record: EventRecord, style: TextStyle): string[] {
	const { seq, type, ts, session, host, id, entry, cause } = record;
	const pairs: [string, string][] = [
		["event", `${seq}  ${type}`],
		["time", formatTime(ts)],
		["session", oneLine(session)],
		["host", oneLine(host)],
		["id", id],
	];
	if (entry !== null) pairs.push(["entry", oneLine(entry)]);
	if (cause !== null) pairs.push(["cause", String(cause)]);
	if (record.wrong !== undefined) pairs.push(["note", `it ${oneLine(record.wrong)}; nothing reads it`]);
	return renderPairs(style, pairs);
}

/** A message's parts one under the other, anything else as indented JSON. */
export function readableText(record: EventRecord): string {
	if (record.type !== "Message") return writeJson(record.payload, 2);
	const view = viewMessage(record.payload);
	const parts = view.blocks.map(blockText);
	if (view.command) parts.push(`$ ${view.command.command}\n${view.command.output}`);
	return parts.join("\n\n");
}

function blockText(block: Block): string {
	switch (block.kind) {
		case "text":
		case "result":
			return block.text;
		case "thinking":
			return `[thinking]\n${block.text}`;
		case "call":
			return `[call ${block.tool}]\n${writeJson(block.input, 2)}`;
		case "image":
			return `[image${block.mimeType ? ` ${block.mimeType}` : ""}]`;
		case "other":
			return `[${block.name}]`;
	}
}

function rawText(log: Log, { seq, type }: EventRecord): string {
	const raw = log.rawText(seq);
	if (raw !== undefined) return raw;
	throw new EngineError("not-found", `Event ${seq} is a ${type} and has no entry of an agent. Omit --raw.`);
}

/**
 * The event that a person or a model names: a handle (`e-…` any event, `m-…` a message), a seq (`42`, `#42`), an id or the
 * beginning of one.
 */
export function findEvent(log: Log, handle: string): StoredRecord {
	const name = handle.trim();
	if (/^[sb]-[0-9a-f]+$/i.test(name)) {
		throw new EngineError(
			"usage",
			`${name} is not an event but ${/^s/i.test(name) ? "a summary" : "a stored output"}. Try: weft expand ${name}`,
		);
	}
	const seq = /^#?(\d{1,15})$/.exec(name)?.[1];
	const found = /^[em]-/i.test(name) ? log.findHandle(name) : seq === undefined ? name : Number(seq);
	const stored = found === undefined ? undefined : log.getStored(found);
	if (!stored) throw new EngineError("not-found", missing(log, handle));
	if (/^m-/i.test(name) && stored.type !== "Message") {
		throw new EngineError("not-found", `${name} is not a message but a ${stored.type}. Try ${handleOf(stored)}.`);
	}
	return stored;
}

function missing(log: Log, handle: string): string {
	const newest = log.newestSeq();
	const range = newest === 0 ? "The log is empty." : `The newest is ${newest}; older ones may have been pruned.`;
	return `There is no event '${handle}'. ${range} Give a seq, an id or a handle; 'weft log' lists them.`;
}

/**
 * A file as events name it, from how a person types it: relative to the project's root with forward slashes, absolute
 * outside it. A trailing slash stays: it means everything in the folder.
 */
export function eventFile(given: string, cwd: string, root: string): string {
	const folder = /[/\\]$/.test(given) ? "/" : "";
	const path = relative(root, resolve(cwd, given));
	const outside = path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
	if (outside && !isAbsolute(given)) return given;
	return (outside ? resolve(given) : path.split(sep).join("/")) + folder;
}
