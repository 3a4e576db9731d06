/**
 * Recorded sessions into the log, through the same translation as live ones. Streams: memory is bounded by the longest
 * line and one batch. Importing again, or a longer copy, adds only what is new; a bad line is reported and the rest goes in.
 */
import { statSync } from "node:fs";
import { basename } from "node:path";
import { EngineError } from "../error/engine-error.ts";
import type { EventRecord, NewEvent } from "../event/types.ts";
import { sha256 } from "../hash/sha256.ts";
import { asName, asObject, type JsonObject } from "../json/read.ts";
import type { AppendResult, ReadQuery } from "../log/types.ts";
import { ClaudeCodeTranslator } from "./claude-code/translate.ts";
import { agentOf, detectKind, type FileKind, isPackedArchive } from "./detect.ts";
import { Intake, type SessionReport } from "./intake.ts";
import { type Line, MAX_LINE_BYTES, readLines } from "./line-reader.ts";
import { matchMigrated } from "./pi/migrated.ts";
import { PiTranslator } from "./pi/translate.ts";

/** What of the log is needed here. */
export interface ImportTarget {
	append(events: readonly NewEvent[]): AppendResult;
	read(query?: ReadQuery): Iterable<EventRecord>;
}

export interface ImportOptions {
	/** The log for a session that ran in this folder; undefined: the file does not say where. */
	readonly logFor: (cwd: string | undefined) => ImportTarget;
	readonly onProgress?: ((bytesDone: number, bytesTotal: number) => void) | undefined;
	/** Events per append, at most; 1,000 if not given. */
	readonly batch?: number;
	/** Reads one of our own archives or exports back in. */
	readonly restore?: (path: string) => Promise<void> | void;
	readonly maxLineBytes?: number;
}

export interface MalformedLine {
	readonly file: string;
	readonly line: number;
	readonly message: string;
}

export interface ImportReport {
	readonly file: string;
	readonly kind: FileKind["kind"];
	/** In the order of their first event. */
	readonly sessions: readonly SessionReport[];
	/** At most the first hundred. */
	readonly malformed: readonly MalformedLine[];
	readonly malformedCount: number;
}

/** Lines looked at to tell the kind of a file. */
const MAX_LINES_TO_DETECT = 200;
const MAX_BYTES_TO_DETECT = 64 * 1024 * 1024;

export async function importFile(path: string, options: ImportOptions): Promise<ImportReport> {
	const total = sizeOf(path);
	if (isPackedArchive(path)) {
		await restore(path, options);
		return { file: path, kind: "weft", sessions: [], malformed: [], malformedCount: 0 };
	}
	const malformed = new MalformedLines(path);
	const parse = (line: Line) => parseLine(line, malformed, options.maxLineBytes ?? MAX_LINE_BYTES);
	const head: { readonly line: Line; readonly value: JsonObject | undefined }[] = [];
	let kind: FileKind | undefined;
	let feed: ((value: JsonObject | undefined, line: Line) => void) | undefined;
	let intake: Intake | undefined;

	const begin = (found: FileKind) => {
		kind = found;
		if (found.kind === "weft") return;
		const log = options.logFor(found.kind === "pi" ? asName(found.header["cwd"]) : found.cwd);
		intake = new Intake(log, options.batch);
		const translate =
			found.kind === "pi" ? translatePi(found.header, log, intake) : translateClaudeCode(found.session, path);
		const session = found.kind === "pi" ? new PiTranslator(found.header).session : found.session;
		feed = keepAll(translate, intake, { session, host: found.kind === "pi" ? "pi" : "claude-code" });
		for (const { line, value } of head) feed(value, line);
		head.length = 0;
	};

	for await (const line of readLines(path, options.maxLineBytes)) {
		const value = parse(line);
		if (feed) {
			feed(value, line);
		} else {
			head.push({ line, value });
			const enough = head.length >= MAX_LINES_TO_DETECT || line.offset > MAX_BYTES_TO_DETECT;
			const found = detectKind(
				head.map((item) => item.value),
				basename(path),
				enough,
			);
			if (found) begin(found);
			else if (enough) break;
			if (found?.kind === "weft") break;
		}
		options.onProgress?.(line.offset, total);
	}
	if (!kind) {
		const found = detectKind(
			head.map((item) => item.value),
			basename(path),
			true,
		);
		if (!found) throw unknownFormat(path, total, head[0]?.line.text);
		begin(found);
	}
	if (kind?.kind === "weft") await restore(path, options);
	intake?.flush();
	options.onProgress?.(total, total);
	return {
		file: path,
		kind: kind!.kind,
		sessions: intake?.report() ?? [],
		malformed: malformed.first,
		malformedCount: malformed.count,
	};
}

type Translate = (entry: JsonObject, text: string, line: number) => readonly NewEvent[];

/** Every line that says something goes in: as what it is, or as it stands. */
function keepAll(
	translate: Translate,
	intake: Intake,
	of: { readonly session: string; readonly host: string },
): (value: JsonObject | undefined, line: Line) => void {
	/** Whose line the last one was, and when. */
	let last = { ...of, ts: 0 };
	const seen = new Set<string>();
	return (value, { number, text, ended }) => {
		const bare = text?.trim() ?? "";
		// Somebody may still be writing the last line.
		if (bare === "" || (!value && !ended)) return;
		const events = value ? translate(value, bare, number) : [];
		const [first] = events;
		const name = first && `${first.type} ${first.session} ${first.entry}`;
		if (first && !seen.has(name!)) {
			seen.add(name!);
			last = { session: first.session, host: first.host, ts: first.ts };
			intake.add(events);
			return;
		}
		const why = value ? "repeated" : "unreadable";
		const entry = `line ${number} ${sha256(bare).slice(0, 12)}`;
		intake.add([{ type: "ForeignLine", ...last, entry, payload: { line: number, text: bare, why } }]);
	};
}

function translatePi(header: JsonObject, log: ImportTarget, intake: Intake): Translate {
	const open = (of: JsonObject) => {
		const session = new PiTranslator(of).session;
		const known = matchMigrated(log, of, session);
		return new PiTranslator(of, { known });
	};
	let translator = open(header);
	return (entry, text, line) => {
		// Two sessions put into one file: the second header begins the second.
		if (entry["type"] === "session" && asName(entry["id"]) && entry["id"] !== translator.session) {
			intake.flush();
			translator = open(entry);
		}
		return translator.translate(entry, text, translator.version < 2 ? `v1:${line}` : `line:${line}`);
	};
}

function translateClaudeCode(session: string, path: string): Translate {
	const translator = new ClaudeCodeTranslator({ session, agent: agentOf(basename(path)) });
	return (entry, text) => translator.translate(entry, text);
}

/** Undefined when the line gives nothing to import; what is wrong with it has been noted. */
function parseLine(line: Line, malformed: MalformedLines, maxLineBytes: number): JsonObject | undefined {
	if (line.text === undefined) {
		malformed.add(line.number, `longer than ${Math.round(maxLineBytes / 1024 / 1024)} MB`);
		return undefined;
	}
	if (line.text.trim() === "") return undefined;
	try {
		const value = asObject(JSON.parse(line.text));
		if (!value) malformed.add(line.number, "not a JSON object");
		else if (!line.exact) malformed.add(line.number, "imported, but bytes that are not UTF-8 were replaced by U+FFFD");
		return value;
	} catch (error) {
		const why = error instanceof RangeError ? "nested too deeply" : (error as Error).message;
		malformed.add(
			line.number,
			line.ended ? `not valid JSON: ${why}` : `cut off: the last line is not complete (${why})`,
		);
		return undefined;
	}
}

class MalformedLines {
	readonly first: MalformedLine[] = [];
	count = 0;
	readonly #file: string;

	constructor(file: string) {
		this.#file = file;
	}

	add(line: number, message: string): void {
		this.count++;
		if (this.first.length < 100) this.first.push({ file: this.#file, line, message: message.slice(0, 300) });
	}
}

async function restore(path: string, options: ImportOptions): Promise<void> {
	if (!options.restore)
		throw new EngineError("unknown-format", `${path} is an archive of weft's own; it cannot be imported here.`);
	await options.restore(path);
}

function sizeOf(path: string): number {
	try {
		return statSync(path).size;
	} catch (cause) {
		throw new EngineError("not-found", `${path} cannot be read. Check the path and its permissions.`, { cause });
	}
}

function unknownFormat(path: string, bytes: number, firstLine: string | undefined): EngineError {
	const isGzip = firstLine?.startsWith("\u001f") ?? false;
	const known = isGzip
		? "Unpack it first (gunzip)."
		: "Known are sessions of Pi (formats 1 to 3) and Claude Code, and weft's own exports, all as .jsonl.";
	const what =
		bytes === 0 ? "is empty" : isGzip ? "is compressed, and is not an archive of weft" : "is not of a known kind";
	return new EngineError("unknown-format", `${path} ${what}; nothing was imported. ${known}`);
}
