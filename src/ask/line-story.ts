/**
 * Why a line, or a file, is as it is: the recorded edit that wrote it, the agent's words at that moment, and the user's request in
 * which it happened.
 */
import { readFileSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { cutWithEllipsis } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import type { EventRecord } from "../log/event/types.ts";
import { textIn } from "../log/fold/state-fold.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import { isWithin } from "../log/search/filter.ts";
import type { SessionFilter } from "../log/search/types.ts";
import { userWords } from "../message/user-words.ts";
import { messageText, viewMessage } from "../message/view.ts";
import { addedLines } from "./diff-lines.ts";
import { fileEvents } from "./file-events.ts";
import type { AskedPlace } from "./question.ts";

export interface LineStory {
	readonly path: string;
	readonly line: number | undefined;
	/** The line as it is on disk; null: there is none, or no line was asked for. */
	readonly text: string | null;
	/** The edits that wrote the line, or without a line those of the file; the newest first. */
	readonly edits: readonly RecordedEdit[];
	/** Number of recorded changes of the file. */
	readonly changes: number;
}

export interface RecordedEdit {
	readonly seq: number;
	readonly ts: number;
	readonly session: string;
	readonly host: string;
	/** Of the change. */
	readonly handle: string;
	/** Agent, shell or other. */
	readonly actor: string;
	readonly added: number;
	readonly removed: number;
	/** The lines that it wrote, as far as they bear on the question. */
	readonly wrote: readonly string[];
	/** The user's words. */
	readonly asked: SaidWords | null;
	/** What the agent said when it made the edit. */
	readonly said: SaidWords | null;
}

export interface SaidWords {
	readonly handle: string;
	readonly text: string;
}

export interface LineSources {
	readonly log: Log;
	readonly within: SessionFilter;
	readonly root: string;
	/** Paths that events may use for the file, from the project's state. */
	readonly known: readonly string[];
}

const MAX_EDITS = 6;
const MAX_WROTE = 4;
const MAX_FILE_BYTES = 4_000_000;

export function lineStory(sources: LineSources, { path, line }: AskedPlace): LineStory {
	const { log, within } = sources;
	const records = fileEvents(log, path, sources)
		.filter(({ session }) => isWithin(within, session))
		.reverse();
	const text = line === undefined ? null : lineOnDisk(sources.root, path, line);
	const wanted = text?.trim() ?? "";
	const writes =
		wanted === ""
			? records
			: records.filter((record) =>
					addedLines(textIn(record.payload, "diff") ?? "").some((added) => added.trim() === wanted),
				);
	// A line that no recorded edit wrote was there before, or came from elsewhere.
	const edits = writes.slice(0, MAX_EDITS).map((record) => editOf(log, record, wanted));
	return { path, line, text, edits: line !== undefined && wanted === "" ? [] : edits, changes: records.length };
}

function lineOnDisk(root: string, path: string, line: number): string | null {
	const file = isAbsolute(path) ? path : resolve(root, path);
	try {
		if (!(statSync(file, { throwIfNoEntry: false })?.isFile() ?? false) || statSync(file).size > MAX_FILE_BYTES)
			return null;
		return readFileSync(file, "utf8").split("\n")[line - 1] ?? null;
	} catch {
		return null;
	}
}

function editOf(log: Log, record: EventRecord, wanted: string): RecordedEdit {
	const { seq, ts, session, host, payload } = record;
	const added = addedLines(textIn(record.payload, "diff") ?? "")
		.map((each) => each.trim())
		.filter((each) => each !== "");
	const near = wanted === "" ? 0 : Math.max(0, added.indexOf(wanted) - 1);
	const number = (key: string) => (typeof payload[key] === "number" ? payload[key] : 0);
	return {
		seq,
		ts,
		session,
		host,
		handle: handleOf(record),
		actor: textIn(payload, "actor") ?? "agent",
		added: number("added"),
		removed: number("removed"),
		wrote: added.slice(near, near + MAX_WROTE),
		...wordsAround(log, record),
	};
}

/** Messages before an edit in which its reason may be. */
const MAX_BACK = 400;

/** The agent's last words before the edit, and the user's request. */
export function wordsAround(
	log: Log,
	{ session, seq }: Pick<EventRecord, "session" | "seq">,
): Pick<RecordedEdit, "asked" | "said"> {
	let said: SaidWords | null = null;
	let back = 0;
	for (const record of log.read({ session, types: ["Message"], upTo: seq, order: "newest" })) {
		if (++back > MAX_BACK) break;
		const view = viewMessage(record.payload);
		const text = view.blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n");
		if (view.role === "assistant" && said === null && text.trim() !== "") said = { handle: handleOf(record), text };
		if (view.role !== "user" || view.injected) continue;
		const words = userWords(messageText(view), record.host);
		if (words !== "" && !view.blocks.some(({ kind }) => kind === "result"))
			return { asked: { handle: handleOf(record), text: words }, said };
	}
	return { asked: null, said };
}

/** For lists and answers: one line per edit. */
export function renderEdit({ actor, host, added, removed, wrote, asked, said }: RecordedEdit, chars: number): string {
	const by = actor === "other" ? "somebody else" : host;
	const parts = [
		`${by} +${added}/-${removed}${wrote[0] === undefined ? "" : ` wrote "${cut(wrote.join(" / "), chars / 2)}"`}`,
		...(asked ? [`the user had asked (${asked.handle}): "${cut(asked.text, chars)}"`] : []),
		...(said ? [`the agent said (${said.handle}): "${cut(said.text, chars)}"`] : []),
	];
	return parts.join("; ");
}

function cut(text: string, chars: number): string {
	return cutWithEllipsis(oneLine(text), Math.floor(chars));
}
