/**
 * Recorded sessions into the log, through the same translation as live ones. Streams: memory is bounded by the longest
 * line and one batch. Importing again, or a longer copy, adds only what is new; a bad line is reported and the rest goes in.
 */
import { closeSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { EngineError } from "../../base/error/engine-error.ts";
import { openRegular } from "../../base/file/regular.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { asObject, type JsonObject } from "../../base/json/read.ts";
import type { EventRecord, NewEvent } from "../../log/event/types.ts";
import { entryName } from "../../log/event/types.ts";
import type { AppendResult, ReadQuery } from "../../log/types.ts";
import { READERS } from "../readers.ts";
import { type CutFile, cutFile, halfWritten } from "./cut-file.ts";
import { detectKind, type FileKind, isPackedArchive } from "./detect.ts";
import { Intake, type SessionReport } from "./intake.ts";
import { type Line, type LineStart, MAX_LINE_BYTES, readLineRuns } from "./line-reader.ts";
import { lookedFor } from "./looked-for.ts";
import { NameSet } from "./name-set.ts";
import type { FoundSession, Translate } from "./reader.ts";

/** What of the log is needed here. */
export interface ImportTarget {
	append(events: readonly NewEvent[]): AppendResult;
	/** Keeps bytes that stand beside a session, such as the whole of an output that was cut; returns their SHA-256. */
	putBlob?(bytes: Buffer): string;
	read(query?: ReadQuery): Iterable<EventRecord>;
}

export interface ImportOptions {
	/** The log for a session that ran in this folder; undefined: the file does not say where. */
	readonly logFor: (cwd: string | undefined) => ImportTarget;
	readonly onProgress?: ((bytesDone: number, bytesTotal: number) => void) | undefined;
	/** Events per append, at most; 4,000 if not given. */
	readonly batch?: number;
	/** Reads one of our own archives or exports back in. */
	readonly restore?: (path: string) => Promise<void> | void;
	readonly maxLineBytes?: number;
	/** True: this session of a database has nothing new. */
	readonly skips?: ((session: string, stamp: string | undefined) => boolean) | undefined;
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
	const cut = cutFile(path);
	return cut ? importCut(path, total, cut, options) : new LineImport(path).run(options);
}

/** A file of lines. Run again, it goes on where it ended, with all that it knew. */
export class LineImport {
	readonly #path: string;
	readonly #head: { readonly line: Line; readonly value: JsonObject | undefined }[] = [];
	#kind: FileKind | undefined;
	#feed: Feed | undefined;
	#intake: Intake | undefined;
	#start: LineStart = { offset: 0, number: 0 };
	/** What stood before `#start`. */
	#mark: Buffer = Buffer.alloc(0);

	constructor(path: string) {
		this.#path = path;
	}

	/** False: the file was written anew since, and is to be read from its beginning. */
	isAsRead(): boolean {
		return this.#mark.equals(bytesBefore(this.#path, this.#start.offset));
	}

	async run(options: ImportOptions): Promise<ImportReport> {
		const path = this.#path;
		const total = sizeOf(path);
		const { maxLineBytes = MAX_LINE_BYTES, onProgress } = options;
		const malformed = new MalformedLines(path);
		const kind = this.#kind;
		// Its log may have been closed since.
		if (kind && "found" in kind) this.#intake = new Intake(options.logFor(kind.found.cwd), options.batch);
		reading: for await (const lines of readLineRuns(path, maxLineBytes, this.#start)) {
			for (const line of lines) {
				const value = parseLine(line, malformed, maxLineBytes);
				if (this.#feed) this.#feed(value, line);
				else await this.#begin(line, value, options);
				// A line that has no end yet is read again.
				if (line.ended) this.#start = { offset: line.offset, number: line.number };
				if (this.#kind?.kind === "weft" || (!this.#kind && this.#isEnough())) break reading;
				onProgress?.(line.offset, total);
			}
		}
		if (!this.#kind) await this.#detect(true, options);
		if (!this.#kind) throw this.#isBegun() ? halfWritten(path) : unknownFormat(path, total, this.#head[0]?.line.text);
		if (this.#kind.kind === "weft") await restore(path, options);
		this.#intake?.flush();
		this.#mark = bytesBefore(path, this.#start.offset);
		onProgress?.(total, total);
		return {
			file: path,
			kind: this.#kind.kind,
			sessions: this.#intake?.report() ?? [],
			malformed: malformed.first,
			malformedCount: malformed.count,
		};
	}

	async #begin(line: Line, value: JsonObject | undefined, options: ImportOptions): Promise<void> {
		this.#head.push({ line, value });
		await this.#detect(this.#isEnough(), options);
	}

	/** All there is of it is the beginning of a line. */
	#isBegun(): boolean {
		const [first, ...others] = this.#head;
		const isHalf = first !== undefined && !first.line.ended && first.value === undefined;
		return isHalf && others.length === 0 && /^\s*\{"/.test(first.line.text ?? "");
	}

	#isEnough(): boolean {
		return this.#head.length >= MAX_LINES_TO_DETECT || (this.#head.at(-1)?.line.offset ?? 0) > MAX_BYTES_TO_DETECT;
	}

	async #detect(isAll: boolean, options: ImportOptions): Promise<void> {
		const lines = this.#head.map(({ value }) => value);
		const kind = detectKind(lines, { path: this.#path, name: basename(this.#path) }, isAll);
		this.#kind = kind;
		if (!kind || !("found" in kind)) return;
		const log = options.logFor(kind.found.cwd);
		this.#intake = new Intake(log, options.batch);
		this.#feed = await openFeed(kind.kind, kind.found, log, () => this.#intake!);
		for (const { line, value } of this.#head) this.#feed(value, line);
		this.#head.length = 0;
	}
}

/** A file that is one JSON value, or a database: session by session, each to the log of its own folder. */
async function importCut(path: string, total: number, cut: CutFile, options: ImportOptions): Promise<ImportReport> {
	const malformed = new MalformedLines(path);
	const sessions: SessionReport[] = [];
	try {
		// One project after the other: a log is opened once.
		const { skips } = options;
		const all = [...cut.sessions()].filter((each) => !skips?.(each.session, each.stamp));
		const byFolder = Map.groupBy(all, ({ cwd }) => cwd);
		for (const found of [...byFolder.values()].flat()) {
			const log = options.logFor(found.cwd);
			const intake = new Intake(log, options.batch);
			const feed = await openFeed(cut.kind, found, log, () => intake);
			let number = 0;
			for (const { text, value } of found.records()) {
				const line: Line = { number: ++number, text, ended: true, offset: 0 };
				feed(value ?? parseLine(line, malformed, options.maxLineBytes ?? MAX_LINE_BYTES), line);
				if (number % RECORDS_A_TURN === 0) await nextTurn();
			}
			intake.flush();
			sessions.push(...intake.report());
		}
	} finally {
		cut.close();
	}
	options.onProgress?.(total, total);
	return { file: path, kind: cut.kind, sessions, malformed: malformed.first, malformedCount: malformed.count };
}

/** Records between two turns of the event loop: what SQLite and zlib hold outside of the heap is let go of there. */
const RECORDS_A_TURN = 200;

type Feed = (value: JsonObject | undefined, line: Line) => void;

async function openFeed(host: string, found: FoundSession, log: ImportTarget, intake: () => Intake): Promise<Feed> {
	const translate = found.open(log, () => intake().flush());
	for await (const events of found.before?.() ?? []) intake().add(events);
	return keepAll(translate, intake, { session: found.session, host });
}

/** Every line that says something goes in: as what it is, or as it stands. */
function keepAll(
	translate: Translate,
	intake: () => Intake,
	of: { readonly session: string; readonly host: string },
): Feed {
	/** Whose line the last one was, and when. */
	let last = { ...of, ts: 0 };
	const seen = new NameSet();
	return (value, { number, text, ended, bytes }) => {
		const bare = text?.trim() ?? "";
		// Somebody may still be writing the last line.
		if (bare === "" || (!value && !ended)) return;
		const events = value ? translate(value, bare, number) : [];
		const exact = bytes && { base64: bytes.toString("base64") };
		const keep = (payload: JsonObject) => {
			const entry = `line ${number} ${sha256(exact?.base64 ?? bare).slice(0, 12)}`;
			intake().add([{ type: "ForeignLine", ...last, entry, payload: { line: number, ...payload, ...exact } }]);
		};
		const kept = events.find(holdsLine);
		const name = kept && `${kept.session} ${entryName(kept)}`;
		if (kept && seen.add(name!)) {
			last = { session: kept.session, host: kept.host, ts: kept.ts };
			// Before the entry, which an export leaves out then.
			if (exact) keep({ text: "", why: "not-utf8", of: entryName(kept) });
			// What was parsed to translate it need not be parsed again.
			intake().add(
				kept.raw === bare ? events.map((event) => (event === kept ? { ...kept, parsed: value } : event)) : events,
			);
			return;
		}
		keep({ text: bare, why: value ? "repeated" : "unreadable" });
		// What follows from it may be new all the same.
		if (kept) intake().add(events.filter((event) => event !== kept));
	};
}

/** The event that holds the line itself; a session may have been opened before it, and messages made of it after it. */
function holdsLine({ raw, payload }: NewEvent): boolean {
	return raw !== undefined && asObject(payload)?.["from"] === undefined;
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
		else if (line.bytes)
			malformed.add(line.number, "imported; bytes that are not UTF-8 are kept apart, and shown as U+FFFD");
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

const MARK_BYTES = 1_024;

/** The last bytes before a place in a file; fewer where it cannot be read. */
function bytesBefore(path: string, offset: number): Buffer {
	const mark = Buffer.alloc(Math.min(MARK_BYTES, offset));
	let file: number | undefined;
	try {
		file = openRegular(path);
		return mark.subarray(0, readSync(file, mark, 0, mark.length, offset - mark.length));
	} catch {
		return mark.subarray(0, 0);
	} finally {
		if (file !== undefined) closeSync(file);
	}
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
	const known = isGzip ? " Unpack it first (gunzip)." : lookedFor(READERS, "weft's own exports");
	const what =
		bytes === 0 ? "is empty" : isGzip ? "is compressed, and is not an archive of weft" : "is not of a known kind";
	return new EngineError("unknown-format", `${path} ${what}; nothing was imported.${known}`);
}
