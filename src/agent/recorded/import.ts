/**
 * Imports recorded sessions into the log, through the same translation as live ones. It streams: it holds one batch, the
 * longest line, and a name for each line. A second import, or one of a longer copy, adds only new events. It reports a bad
 * line and imports the rest.
 */
import { basename } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { EngineError } from "../../base/error/engine-error.ts";
import { readPiece, statOf } from "../../base/file/regular-file.ts";
import type { JsonObject } from "../../base/json/read.ts";
import { detectKind, isPackedArchive, renderKnownKinds, type SessionFileKind } from "./file-kind.ts";
import { type ImportedSession, type ImportTarget, Intake } from "./intake.ts";
import { type FileLine, type LineStart, MAX_LINE_BYTES, readLineRuns } from "./line-reader.ts";
import { type Feed, type MalformedLine, MalformedLines, openFeed, parseLine } from "./record-feed.ts";
import type { SessionReader, StoreRecord, StoreSession } from "./session-reader.ts";
import { incompleteJson, openStore, type SessionStore } from "./session-store.ts";

export interface ImportOptions {
	/** Of the agents whose files are recognised. */
	readonly readers: readonly SessionReader[];
	/** The log for a session that ran in this folder; undefined: the file does not say where. */
	readonly logFor: (cwd: string | undefined) => ImportTarget;
	readonly onProgress?: ((bytesDone: number, bytesTotal: number) => void) | undefined;
	/** Maximum number of events per append; 4,000 by default. */
	readonly batch?: number;
	/** Reads one of weft's own archives or exports back in. */
	readonly restore?: (path: string) => Promise<void> | void;
	readonly maxLineBytes?: number;
	/** True: this session of a database has nothing new. */
	readonly skips?: ((session: string, stamp: string | undefined) => boolean) | undefined;
}

export interface ImportReport {
	readonly file: string;
	readonly kind: SessionFileKind["kind"];
	/** In the order of their first event. */
	readonly sessions: readonly ImportedSession[];
	/** At most the first hundred. */
	readonly malformed: readonly MalformedLine[];
	readonly malformedCount: number;
	/** Of the malformed ones: how many are not in the log. */
	readonly lost: number;
}

/** Lines to look at before giving up on a file's kind. */
const MAX_LINES_TO_DETECT = 200;
const MAX_BYTES_TO_DETECT = 64 * 1024 * 1024;

export async function importFile(path: string, options: ImportOptions): Promise<ImportReport> {
	const total = sizeOf(path);
	if (isPackedArchive(path)) {
		await restore(path, options);
		return { file: path, kind: "weft", sessions: [], malformed: [], malformedCount: 0, lost: 0 };
	}
	const store = openStore(path, options.readers);
	return store ? importStore(path, total, store, options) : new LineImport(path).run(options);
}

/** A file of lines. A second run continues where the first ended, with everything the translator knew. */
export class LineImport {
	readonly #path: string;
	readonly #head: { readonly line: FileLine; readonly value: JsonObject | undefined }[] = [];
	#kind: SessionFileKind | undefined;
	#open: { readonly feed: Feed; intake: Intake } | undefined;
	/** Of the run that reads now. */
	#malformed: MalformedLines;
	#start: LineStart = { offset: 0, number: 0 };
	/** The bytes before `#start`. */
	#mark: Buffer = Buffer.alloc(0);

	constructor(path: string) {
		this.#path = path;
		this.#malformed = new MalformedLines(path);
	}

	/** False: the file was rewritten since, and must be read from its beginning. */
	isAsRead(): boolean {
		return this.#mark.equals(bytesBefore(this.#path, this.#start.offset));
	}

	async run(options: ImportOptions): Promise<ImportReport> {
		const path = this.#path;
		const total = sizeOf(path);
		const malformed = new MalformedLines(path);
		// The log of an earlier run may be closed by now.
		if (this.#open && this.#kind && "found" in this.#kind)
			this.#open.intake = intakeOf(options.logFor(this.#kind.found.cwd), options, malformed);
		this.#malformed = malformed;
		await this.#readLines(options, malformed, total);
		if (!this.#kind) await this.#detect(true, options);
		if (!this.#kind)
			throw this.#isFirstLineHalf()
				? incompleteJson(path)
				: unknownFormat(path, total, this.#head[0]?.line.text, options.readers);
		if (this.#kind.kind === "weft") await restore(path, options);
		this.#open?.intake.flush();
		this.#mark = bytesBefore(path, this.#start.offset);
		options.onProgress?.(total, total);
		return {
			file: path,
			kind: this.#kind.kind,
			sessions: this.#open?.intake.report() ?? [],
			malformed: malformed.first,
			malformedCount: malformed.count,
			lost: malformed.lost,
		};
	}

	async #readLines(options: ImportOptions, malformed: MalformedLines, total: number): Promise<void> {
		const { maxLineBytes = MAX_LINE_BYTES, onProgress } = options;
		for await (const lines of readLineRuns(this.#path, maxLineBytes, this.#start)) {
			for (const line of lines) {
				const value = parseLine(line, malformed, maxLineBytes);
				if (this.#open) this.#open.feed(value, line);
				else {
					this.#head.push({ line, value });
					await this.#detect(this.#isEnough(), options);
				}
				// The next run reads an unfinished line again.
				if (line.ended) this.#start = { offset: line.offset, number: line.number };
				if (this.#kind?.kind === "weft" || (!this.#kind && this.#isEnough())) return;
				onProgress?.(line.offset, total);
			}
		}
	}

	#isFirstLineHalf(): boolean {
		const [first, ...others] = this.#head;
		const isHalf = first !== undefined && !first.line.ended && first.value === undefined;
		return isHalf && others.length === 0 && /^\s*\{"/.test(first.line.text ?? "");
	}

	#isEnough(): boolean {
		return this.#head.length >= MAX_LINES_TO_DETECT || (this.#head.at(-1)?.line.offset ?? 0) > MAX_BYTES_TO_DETECT;
	}

	async #detect(isAll: boolean, options: ImportOptions): Promise<void> {
		const lines = this.#head.map(({ value }) => value);
		const kind = detectKind(options.readers, lines, { path: this.#path, name: basename(this.#path) }, isAll);
		this.#kind = kind;
		if (!kind || !("found" in kind)) return;
		const log = options.logFor(kind.found.cwd);
		const first = intakeOf(log, options, this.#malformed);
		const feed = await openFeed(
			kind.kind,
			kind.found,
			log,
			() => this.#open?.intake ?? first,
			() => this.#malformed,
		);
		this.#open = { feed, intake: first };
		for (const { line, value } of this.#head) feed(value, line);
		this.#head.length = 0;
	}
}

/** One JSON value or a database: session by session, each into the log of its own folder. */
async function importStore(
	path: string,
	total: number,
	store: SessionStore,
	options: ImportOptions,
): Promise<ImportReport> {
	const { skips, logFor } = options;
	const malformed = new MalformedLines(path);
	const sessions: ImportedSession[] = [];
	try {
		const due = listSessions(store, malformed).filter((each) => !skips?.(each.session, each.stamp));
		// Project by project, so that each log is opened once.
		const byFolder = Map.groupBy(due, ({ cwd }) => cwd);
		for (const found of [...byFolder.values()].flat())
			sessions.push(...(await importSession(store.kind, found, logFor(found.cwd), options, malformed)));
	} finally {
		store.close();
	}
	options.onProgress?.(total, total);
	const { first, count, lost } = malformed;
	return { file: path, kind: store.kind, sessions, malformed: first, malformedCount: count, lost };
}

/** As many as can be listed, if that is any. A session without a name is skipped: no event could belong to it. */
function listSessions(store: SessionStore, malformed: MalformedLines): StoreSession[] {
	const found: StoreSession[] = [];
	try {
		for (const session of store.sessions()) {
			if (session.session === "") malformed.lose(0, "a session without an id was skipped");
			else found.push(session);
		}
	} catch (error) {
		if (!(error instanceof EngineError) || found.length === 0) throw error;
		malformed.lose(0, `not all sessions can be listed: ${error.message}`);
	}
	return found;
}

/** An unreadable row ends its session: the rows before it are imported, and the other sessions. */
async function importSession(
	kind: string,
	found: StoreSession,
	log: ImportTarget,
	options: ImportOptions,
	malformed: MalformedLines,
): Promise<ImportedSession[]> {
	const { maxLineBytes = MAX_LINE_BYTES } = options;
	const intake = intakeOf(log, options, malformed);
	const feed = await openFeed(
		kind,
		found,
		log,
		() => intake,
		() => malformed,
	);
	let number = 0;
	const records = found.records()[Symbol.iterator]();
	for (let next = nextRecord(records); next !== undefined; next = nextRecord(records)) {
		if (next instanceof EngineError) {
			malformed.lose(number + 1, `session ${found.session} cannot be read to its end: ${next.message}`);
			break;
		}
		const { text, value } = next;
		const line: FileLine = { number: ++number, text, ended: true, offset: 0 };
		feed(value ?? parseLine(line, malformed, maxLineBytes), line);
		if (number % RECORDS_A_TURN === 0) await nextTurn();
	}
	intake.flush();
	return intake.report();
}

/** An error of the source is a value here, so that an error of our own log is not mistaken for it. */
function nextRecord(records: Iterator<StoreRecord>): StoreRecord | EngineError | undefined {
	try {
		const { done, value } = records.next();
		return done ? undefined : value;
	} catch (error) {
		if (error instanceof EngineError) return error;
		throw error;
	}
}

function intakeOf(log: ImportTarget, { batch }: ImportOptions, malformed: MalformedLines): Intake {
	return new Intake(log, batch, ({ entry }, { message }) => malformed.lose(0, `${entry ?? "a record"}: ${message}`));
}

/** False: the error would meet every file, as a full disk does, or a log that another process holds. */
export function isAboutTheFile({ code, message }: EngineError, path: string): boolean {
	if (code === "unknown-format" || code === "not-found" || code === "damaged") return true;
	// An agent's own database, while the agent writes.
	return code === "locked" && message.startsWith(path);
}

/** Records between two turns of the event loop, which is when SQLite and zlib free their memory outside the heap. */
const RECORDS_A_TURN = 200;

async function restore(path: string, options: ImportOptions): Promise<void> {
	if (!options.restore)
		throw new EngineError("unknown-format", `${path} is an archive of weft's own; it cannot be imported here.`);
	await options.restore(path);
}

const MARK_BYTES = 1_024;

/** The last bytes before an offset; fewer if they cannot be read. */
function bytesBefore(path: string, offset: number): Buffer {
	const length = Math.min(MARK_BYTES, offset);
	return readPiece(path, offset - length, length);
}

function sizeOf(path: string): number {
	const stat = statOf(path);
	if (stat) return stat.size;
	throw new EngineError("not-found", `${path} cannot be read. Check the path and its permissions.`);
}

function unknownFormat(
	path: string,
	bytes: number,
	firstLine: string | undefined,
	readers: readonly SessionReader[],
): EngineError {
	const isGzip = firstLine?.startsWith("\u001f") ?? false;
	const known = isGzip ? " Unpack it first (gunzip)." : renderKnownKinds(readers, "weft's own exports");
	const what =
		bytes === 0 ? "is empty" : isGzip ? "is compressed, and is not an archive of weft" : "is not of a known kind";
	return new EngineError("unknown-format", `${path} ${what}.${known}`);
}
