/**
 * Files as a log shows them, for sessions whose disk is not at hand: rebuilt from whatever results showed and calls wrote. Walks the
 * messages once, in order, and can advance event by event. A change that the log does not show, such as by a command,
 * stays unknown until the file is read again.
 */

import { readUnified } from "../../base/diff/unified.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { asInteger, asObject, asText } from "../../base/json/read.ts";
import { effectsOf } from "../../base/shell/effects.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { textIn } from "../../log/fold/state-fold.ts";
import type { ReadQuery } from "../../log/types.ts";
import { type ResultBlock, viewMessage } from "../../message/view.ts";
import { Calls, type SessionCall } from "../session/calls.ts";
import { changesBy, editsOf, type FileChange } from "../session/file-change.ts";
import { readReaderNotes } from "../session/reader-notes.ts";
import { sessionPath } from "../session/session-path.ts";
import { commandsOf, pathIn } from "../session/shell-command.ts";
import { type ShownSlice, shownSlices } from "../session/shown-slice.ts";
import { changesFiles, toolClass } from "../session/tool-class.ts";
import type { FileContent, FileSource, KnownLines } from "./file-source.ts";
import {
	applyHunks,
	fillLines,
	type KnownText,
	knowHunks,
	knowLines,
	knowWhole,
	NOTHING_KNOWN,
	replaceTexts,
} from "./known-text.ts";
import { pathPrefix, projectPath } from "./project-path.ts";

export interface RecordedLog {
	read(query?: ReadQuery): Iterable<EventRecord>;
}

const TYPES = ["SessionStarted", "Message", "FileChanged"];

/** The files of a log as they were known at an event. */
export function recordedFiles(log: RecordedLog, upTo: number): RecordedFiles {
	const files = new RecordedFiles();
	files.advance(log, upTo);
	return files;
}

interface RecordedSession {
	readonly cwd: string | undefined;
	readonly prefix: string;
	readonly calls: Calls;
}

const TAKES_BACK = /\bgit\b[^\n]*\b(?:checkout|restore|reset)\b/;
const APPLIES = /\bgit\b[^\n]*\b(?:apply|am|stash|merge|rebase|pull|cherry-pick|revert)\b|\bpatch\b/;
const COMMITS = /\bgit\b[^\n]*\bcommit\b/;

export class RecordedFiles implements FileSource {
	readonly #files = new Map<string, KnownText>();
	readonly #places = new Map<string, RecordedSession>();
	/** Files with changes that the agent has not committed, as they were before. */
	readonly #committed = new Map<string, KnownText>();
	/** What the newest command brought back: its text is known, though the event of the change has none. */
	#takenBack: { readonly callId: string; readonly paths: ReadonlySet<string> } | undefined;
	#seq = 0;

	/** Brings the files forward to an event. */
	advance(log: RecordedLog, upTo: number): void {
		if (upTo <= this.#seq) return;
		for (const record of log.read({ after: this.#seq, upTo, types: TYPES })) this.apply(record);
		this.#seq = upTo;
	}

	apply(record: EventRecord): void {
		this.#seq = Math.max(this.#seq, record.seq);
		if (record.type === "SessionStarted") this.#start(record);
		else if (record.type === "Message") this.#applyMessage(record);
		else if (record.type === "FileChanged") this.#applyOthersChange(record);
	}

	read(path: string): FileContent {
		const known = this.#files.get(path);
		if (!known) return { kind: "unreadable", reason: "the log does not show its text" };
		if (known.kind === "deleted") return known;
		if (known.kind === "whole") return { kind: "text", text: known.text, hash: sha256(known.text) };
		return known.parts.length > 0
			? { kind: "partial", parts: known.parts }
			: { kind: "unreadable", reason: "the log does not show its text" };
	}

	/** Paths of files with any known text. */
	paths(): string[] {
		return [...this.#files.keys()];
	}

	#start({ session, payload }: EventRecord): void {
		const cwd = textIn(payload, "cwd") ?? undefined;
		const prefix = pathPrefix(cwd ?? "", textIn(payload, "root") ?? undefined);
		this.#places.set(session, { cwd, prefix, calls: this.#places.get(session)?.calls ?? new Calls() });
	}

	#applyMessage({ session, payload }: EventRecord): void {
		let place = this.#places.get(session);
		if (!place) {
			place = { cwd: undefined, prefix: "", calls: new Calls() };
			this.#places.set(session, place);
		}
		for (const block of viewMessage(payload).blocks) {
			if (block.kind === "call") {
				const call = { tool: block.tool, class: toolClass(block.tool), input: asObject(block.input) ?? {} };
				place.calls.open(block.id, call, {});
			} else if (block.kind === "result") {
				const call = place.calls.get(block.callId);
				if (call && !block.isError) this.#applyResult(place, call, block);
				place.calls.dropLongInput(block.callId);
			}
		}
	}

	#applyResult(place: RecordedSession, call: SessionCall, result: ResultBlock): void {
		for (const slice of shownSlices(call, result)) this.#applyShown(place, slice, result);
		const noted = readReaderNotes(result.details)?.changes ?? [];
		const isChange = changesFiles(call.class) || call.class === "shell";
		const changes = noted.length > 0 ? noted : isChange ? changesBy(call, result) : [];
		for (const change of changes) {
			const path = nameOf(change.path, place);
			const before = nameOf(change.movedFrom ?? change.path, place);
			const known = this.#files.get(before) ?? NOTHING_KNOWN;
			// git has no text of a new file.
			const isNew = known === NOTHING_KNOWN && change.kind === "write";
			if (!isNew && !this.#committed.has(before)) this.#committed.set(before, known);
			this.#files.set(path, afterChange(known, change, call, { result, isNoted: changes === noted }));
		}
		if (call.class === "shell") this.#applyCommands(place, call, result.callId);
	}

	/** `git checkout -- a.ts` brings back the text of before the changes; a commit keeps them. */
	#applyCommands(place: RecordedSession, { input }: SessionCall, callId: string): void {
		if (this.#committed.size === 0) return;
		const all = new Set<string>();
		for (const { command, folder } of commandsOf(input)) {
			// After `git checkout a.ts && git apply x.patch` nobody knows the text.
			if (TAKES_BACK.test(command) && !APPLIES.test(command)) {
				const named = effectsOf(command).writes.filter(({ how, under, loses }) => how === "modify" && under && loses);
				const taken = named.map(({ path }) => this.#changedIn(nameOf(pathIn(folder, path), place)));
				// A name that is no changed file may be a revision, whose text nobody knows.
				if (taken.every((paths) => paths.length > 0)) for (const path of taken.flat()) all.add(path);
			}
			if (COMMITS.test(command)) this.#committed.clear();
		}
		for (const path of all) {
			this.#files.set(path, this.#committed.get(path) ?? NOTHING_KNOWN);
			this.#committed.delete(path);
		}
		this.#takenBack = { callId, paths: all };
	}

	#changedIn(name: string): string[] {
		return [...this.#committed.keys()].filter((path) => name === "." || path === name || path.startsWith(`${name}/`));
	}

	#applyShown(place: RecordedSession, shown: ShownSlice, result: ResultBlock): void {
		const parts = shownParts(shown);
		if (parts.length === 0) return;
		const path = nameOf(shown.path, place);
		if (shown.whole || (!shown.isMatch && isWholeFile(result.details))) {
			this.#files.set(path, knowWhole(shown.text));
			return;
		}
		let known = this.#files.get(path) ?? NOTHING_KNOWN;
		for (const part of parts) {
			// Lines that a search found are too few to move a text by.
			known = shown.isMatch ? fillLines(known, part.from, part.lines) : knowLines(known, part.from, part.lines);
		}
		this.#files.set(path, known);
	}

	/** Applies a change that only the guard saw, on disk. */
	#applyOthersChange({ session, payload }: EventRecord): void {
		if (payload["actor"] === "agent") return;
		const place = this.#places.get(session);
		const path = projectPath(textIn(payload, "path") ?? "", place?.prefix ?? "");
		if (this.#takenBack?.callId === payload["callId"] && this.#takenBack?.paths.has(path)) return;
		const known = this.#files.get(path);
		if (payload["kind"] === "delete") this.#files.set(path, { kind: "deleted" });
		else if (known) {
			const hunks = readUnified(textIn(payload, "diff") ?? "");
			this.#files.set(path, (hunks && applyHunks(known, hunks)) ?? NOTHING_KNOWN);
		}
	}
}

/** The lines of the file that a slice shows; none where an agent says something in their place. */
export function shownParts({ text, from }: Pick<ShownSlice, "text" | "from">): readonly KnownLines[] {
	if (isEvicted(text) || text.startsWith("Read image file [")) return [];
	return anchoredLines(text) ?? [{ from, lines: linesShown(text) }];
}

function nameOf(path: string, place: RecordedSession): string {
	return projectPath(sessionPath(path, place.cwd), place.prefix);
}

function afterChange(
	known: KnownText,
	change: FileChange,
	call: SessionCall,
	{ result, isNoted }: { readonly result: ResultBlock; readonly isNoted: boolean },
): KnownText {
	if (change.kind === "delete") return { kind: "deleted" };
	const details = asObject(result.details) ?? {};
	if (change.kind === "write") {
		const content = asText(call.input["content"]) ?? asText(details["content"]);
		if (content !== undefined && !isEvicted(content)) return knowWhole(content);
		return change.created && change.hunks ? knowCreated(change.hunks[0]?.lines ?? []) : NOTHING_KNOWN;
	}
	const before = asText(details["originalFile"]);
	const now = before === undefined ? known : knowWhole(before);
	const edits = editsOf(call.input);
	const replaced = edits.length > 0 && details["userModified"] !== true ? replaceTexts(now, edits) : undefined;
	if (replaced) return replaced;
	const hunks = change.hunks ?? [];
	const applied = hunks.length > 0 ? applyHunks(now, hunks) : undefined;
	if (applied) return applied;
	// A diff that the agent stored has the file's line numbers. One made from the arguments alone does not.
	const numbered = isNoted || ["diff", "patch", "structuredPatch", "originalFile"].some((key) => Boolean(details[key]));
	return numbered ? knowHunks(now, hunks) : withoutWhole(now);
}

/** After an edit that does not fit, the file differs from the known text, but most lines may still be right. */
function withoutWhole(known: KnownText): KnownText {
	return known.kind === "whole" ? { kind: "lines", parts: [{ from: 1, lines: known.text.split("\n") }] } : known;
}

function knowCreated(lines: readonly string[]): KnownText {
	const text = lines.filter((line) => line.startsWith("+")).map((line) => `${line.slice(1)}\n`);
	return knowWhole(lines.at(-1)?.startsWith("\\") ? text.join("").slice(0, -1) : text.join(""));
}

/** Claude Code stores how many lines the file has. */
function isWholeFile(details: unknown): boolean {
	const file = asObject(asObject(details)?.["file"]);
	if (!file || typeof file["content"] !== "string") return false;
	const total = asInteger(file["totalLines"]);
	return (
		(asInteger(file["startLine"]) ?? 1) === 1 && total !== undefined && (asInteger(file["numLines"]) ?? 0) >= total
	);
}

/** A fork of Pi puts `12ab|` before each line and skips stretches. Undefined: the text has another form. */
function anchoredLines(text: string): KnownLines[] | undefined {
	if (!/^\d+[a-z]{2}[|-]/.test(text)) return undefined;
	const parts: { from: number; lines: string[] }[] = [];
	for (const line of text.split("\n")) {
		const [, digits, shown = ""] = /^(\d+)[a-z]{2}\|(.*)$/s.exec(line) ?? [];
		if (digits === undefined) continue;
		const last = parts.at(-1);
		const number = Number(digits);
		if (last && last.from + last.lines.length === number) last.lines.push(shown);
		else parts.push({ from: number, lines: [shown] });
	}
	return parts;
}

/** A final line break does not start another line. */
function linesShown(text: string): string[] {
	const lines = text.split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines;
}

/** Some agents replace old texts in their own session files. */
function isEvicted(text: string): boolean {
	return text.startsWith("[Compacted history content evicted");
}
