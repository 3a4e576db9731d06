/** Exports a session: as its agent wrote it, or as Markdown for reading. */

import { asName, asObject, asText, parseObject } from "../base/json/read.ts";
import { writeJson } from "../base/json/write.ts";
import { formatCount } from "../base/text/bytes.ts";
import { printable } from "../base/text/printable.ts";
import { formatTime } from "../base/text/time.ts";
import type { EventRecord } from "../log/event/types.ts";
import { entryName } from "../log/event/types.ts";
import { allFetched } from "../log/fetched-sessions.ts";
import type { Log } from "../log/log.ts";
import { splitLast } from "../log/store/payload-text.ts";
import { type Block, viewMessage } from "../message/view.ts";
import type { SessionState } from "../state/session/session-state.ts";
import { fence } from "./envelope.ts";

/** The entries for the agent on this machine to resume: a fetched session ran in another machine's folder, so it is replaced. */
export function* entriesToResume(log: Log, session: string, cwd: string): Generator<string | Buffer> {
	const isFetched = allFetched(log).some((fetched) => fetched.session === session);
	for (const line of sessionEntries(log, session)) {
		const header = isFetched ? parseObject(line.toString()) : undefined;
		yield header?.["type"] === "session" ? JSON.stringify({ ...header, cwd }) : line;
	}
}

/** The entries of a session as its host wrote them, byte for byte, in the order they came, the header first. */
export function* sessionEntries(log: Log, session: string): Generator<string | Buffer> {
	const given = new Set<string>();
	for (const { text, lost, type, entry } of log.readStored({ session, types: [...LINE_TYPES] })) {
		const { line, of } = lost === undefined ? lineOf(text) : {};
		if (of !== undefined) given.add(of);
		if (line !== undefined && !given.has(entryName({ type, entry }))) yield line;
	}
}

/** Events that a line of a host's file became. */
export const LINE_TYPES = ["SessionStarted", "Message", "Entry", "ForeignLine"] as const;

export interface HostLine {
	/** The line of its host's file that a stored payload holds; undefined: it comes from no line. */
	readonly line?: string | Buffer | undefined;
	/** The event that was read from it and holds it less exactly. */
	readonly of?: string | undefined;
}

export function lineOf(payload: string): HostLine {
	const raw = splitLast(payload, "raw");
	if (raw !== undefined) return isMade(payload.slice(0, payload.length - raw.length - 1)) ? {} : { line: raw };
	const { line, text, why, base64, of } = asObject(parsed(payload)) ?? {};
	if (why === undefined || line === undefined) return {};
	const bytes = asText(base64);
	return { line: bytes === undefined ? asText(text) : Buffer.from(bytes, "base64"), of: asText(of) };
}

/** `head`: the payload up to its raw. True: weft derived it from a line that has its own entry. */
function isMade(head: string): boolean {
	return head.endsWith(',"raw":') && asName(asObject(parsed(`${head.slice(0, -7)}}`))?.["from"]) !== undefined;
}

/** A payload that is damaged holds no line. */
function parsed(payload: string): unknown {
	try {
		return JSON.parse(payload);
	} catch {
		return undefined;
	}
}

/** Messages, calls and results. Everything passes through `mask`, because people share such a page. */
export async function* sessionMarkdown(
	log: Log,
	session: SessionState,
	mask: (text: string) => Promise<string>,
): AsyncGenerator<string> {
	yield `# Session ${session.session}`;
	yield "";
	yield `${session.host}, ${formatTime(session.first_ts)} to ${formatTime(session.last_ts)}, ${formatCount(session.messages)} messages${session.cwd ? `, in ${await mask(session.cwd)}` : ""}`;
	for (const record of log.read({ session: session.session, types: ["Message"] })) {
		const text = messageMarkdown(record);
		if (text !== "") yield `\n${await mask(text)}`;
	}
}

function messageMarkdown(record: EventRecord): string {
	const view = viewMessage(record.payload);
	const parts = view.blocks.map(blockMarkdown).filter((part) => part !== "");
	if (view.command) parts.push(fenced(`$ ${view.command.command}\n${view.command.output}`));
	if (parts.length === 0) return "";
	const who = view.tool ? `${view.role}: ${view.tool}` : view.role;
	return [`## ${who} · ${formatTime(record.ts)} · #${record.seq}`, ...parts].join("\n\n");
}

function blockMarkdown(block: Block): string {
	switch (block.kind) {
		case "text":
			return closed(printable(block.text));
		case "thinking":
			return block.text === ""
				? ""
				: `<details><summary>thinking</summary>\n\n${closed(printable(block.text))}\n\n</details>`;
		case "call":
			return `**${block.tool}**\n\n${fenced(writeJson(block.input, 2), "json")}`;
		case "result":
			return `${block.isError ? "Failed:\n\n" : ""}${fenced(block.text)}`;
		case "image":
			return "*(image)*";
		case "other":
			return `*(${block.name})*`;
	}
}

/** Closes a code fence or comment that the text leaves open: it would swallow everything after it. */
export function closed(text: string): string {
	let open: { readonly end: RegExp; readonly close: string } | undefined;
	for (const line of text.split("\n")) {
		if (open) {
			if (open.end.test(line)) open = undefined;
			continue;
		}
		const [, ticks] = /^ {0,3}(`{3,}(?!.*`)|~{3,})/.exec(line) ?? [];
		if (ticks !== undefined) open = { end: new RegExp(`^ {0,3}${ticks[0]}{${ticks.length},}[ \\t]*$`), close: ticks };
		else if (/<!--(?!.*-->)/.test(line)) open = { end: /-->/, close: "-->" };
	}
	return open ? `${text}\n${open.close}` : text;
}

function fenced(text: string, language = ""): string {
	return fence(printable(text).trimEnd(), language).trimEnd();
}
