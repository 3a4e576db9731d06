/**
 * The log of one project: everything that happened, in order, for good. Opens the file, wires its parts and refuses to use
 * them after `close`. It does not know what an event means: other rooms read the payloads.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { EngineError } from "../base/error/engine-error.ts";
import { Checkpointer } from "../base/sqlite/checkpoint.ts";
import { migrate, refuseNewer } from "../base/sqlite/migrate.ts";
import { checkpointNow, closeDatabase, openDatabase, shrink } from "../base/sqlite/open.ts";
import { one, only } from "../base/sqlite/rows.ts";
import { translateSqliteError } from "../base/sqlite/sqlite-error.ts";
import { Transactor } from "../base/sqlite/transaction.ts";
import { findWalDamage, type WalDamage } from "../base/sqlite/wal-damage.ts";
import { type AppendableEvent, Appender, type AppendOptions } from "./append.ts";
import { keepDatabase, refuseClosed } from "./database.ts";
import type { EventRecord } from "./event/types.ts";
import { fetchedIn } from "./fetched-sessions.ts";
import { handleDigits } from "./handle.ts";
import { makePrivateFolder } from "./home.ts";
import { EventReader, type StoredRecord } from "./read.ts";
import { Search } from "./search/search.ts";
import { Blobs, parseHash } from "./store/blob.ts";
import { hashFromBytes } from "./store/chain.ts";
import { HandleIndex } from "./store/handle-index.ts";
import { KeptBytes } from "./store/kept-bytes.ts";
import { Losses } from "./store/losses.ts";
import { noteCommit, OncePerTick } from "./store/once-per-tick.ts";
import { OpenFile } from "./store/open-file.ts";
import { MAX_PLAIN_BYTES, Packs } from "./store/pack.ts";
import { splitLast } from "./store/payload-text.ts";
import { RecentEvents } from "./store/recent-events.ts";
import { APPLICATION_ID, MIGRATIONS, Tables } from "./store/schema.ts";
import { WordDictionary } from "./store/word-dictionary.ts";
import { type TailOptions, tail } from "./tail.ts";
import type { AppendResult, LogOptions, LogView, Loss, Projection, ReadQuery } from "./types.ts";

export class Log {
	readonly folder: string;
	readonly path: string;
	readonly readOnly: boolean;
	readonly search: Search;
	/** Queries over the tables that folds keep in this file. */
	readonly tables: Tables;
	readonly options: LogOptions;
	readonly #db: DatabaseSync;
	readonly #file: OpenFile;
	#newest: StatementSync | undefined;
	readonly #glance: OncePerTick<number> | undefined;
	readonly #transactor: Transactor;
	readonly #checkpointer: Checkpointer;
	readonly #words: WordDictionary;
	readonly #packs: Packs;
	readonly #blobs: Blobs;
	#kept: KeptBytes | undefined;
	readonly #reader: EventReader;
	#madeAppender: Appender | undefined;
	readonly #handles: HandleIndex;
	readonly #recent: RecentEvents;
	readonly #projection: Projection | undefined;
	/** Undefined: not counted yet. Earlier processes may have left some. */
	#unsettledBytes: number | undefined;
	/** The newest event that this process's deferred folds include. */
	#folded = 0;
	#open = true;
	#isWaitNoticed = false;
	readonly #losses = new Losses();
	/** What SQLite could not read of the newest commits when the log was opened. */
	readonly walDamage: WalDamage | undefined;

	constructor(options: LogOptions) {
		this.options = options;
		this.folder = options.folder;
		this.path = join(options.folder, "log.db");
		this.readOnly = options.readOnly ?? false;
		if (!this.readOnly) makePrivateFolder(this.folder);
		else if (!existsSync(this.path)) throw new EngineError("not-found", `${this.folder} has no log yet.`);
		const onWait = () => this.#noticeWait();
		// A reader changes nothing, so the next writer still finds it.
		this.walDamage = this.readOnly ? undefined : findWalDamage(this.path);
		this.#db = openDatabase(this.path, { readOnly: this.readOnly, applicationId: APPLICATION_ID, onWait });
		this.#file = new OpenFile(this.path);
		this.#checkpointer = new Checkpointer(this.path, this.#db);
		if (options.looksOncePerTick) this.#glance = new OncePerTick(() => this.#recent.newestSeq() ?? this.#readNewest());
		this.tables = new Tables(this.#db);
		keepDatabase(this, this.#db);
		try {
			this.#transactor = new Transactor(this.#db, this.path, { deadlineMs: options.busyDeadlineMs, onWait });
			if (this.readOnly) refuseNewer(this.#db, this.path, MIGRATIONS);
			else migrate(this.#db, this.#transactor, this.path, MIGRATIONS, APPLICATION_ID);
			this.#words = new WordDictionary(this.#db);
			this.#packs = new Packs(this.#db, (after, limit) => this.#reader.readPlain(after, limit));
			this.#blobs = new Blobs(this.#db);
			this.#recent = new RecentEvents(this.#db, options);
			this.#reader = new EventReader({
				db: this.#db,
				recent: this.#recent,
				path: this.path,
				words: this.#words,
				packs: this.#packs,
				blobs: this.#blobs,
				onLoss: (loss) => this.#losses.note(loss),
			});
			// Fails now if a table is missing, not at the first event.
			if (!this.readOnly) {
				this.#madeAppender = this.#makeAppender();
				this.#db.prepare("SELECT 1 FROM pack, blob, blob_use, word");
			}
			this.#handles = new HandleIndex({
				db: this.#db,
				words: this.#words,
				readOnly: this.readOnly,
				transaction: (work) => this.transaction(work),
			});
			this.search = new Search(this.#searchSource(), {
				searchable: options.searchable ?? (() => undefined),
				fullText: options.fullText ?? true,
				readOnly: this.readOnly,
			});
			this.#projection = options.projection?.();
			if (!this.readOnly) {
				this.#projection?.attach({
					db: this.#db,
					transaction: (work) => this.transaction(work),
					read: (query) => this.#reader.read(query),
					newestSeq: () => this.newestSeq(),
					fetched: () => this.fetched(),
				});
			}
		} catch (error) {
			this.#db.close();
			throw translateSqliteError(error, this.path);
		}
	}

	/** Made at its first use in a log that is only read. */
	get #appender(): Appender {
		this.#madeAppender ??= this.#makeAppender();
		return this.#madeAppender;
	}

	#makeAppender(): Appender {
		return new Appender({
			db: this.#db,
			words: this.#words,
			packs: this.#packs,
			blobs: this.#blobs,
			origin: this.options.origin,
			now: wholeClock(this.options.now),
		});
	}

	get isOpen(): boolean {
		return this.#open;
	}

	/** True: its file was deleted or replaced since it was opened, and nothing should be written beside it. */
	get isDeleted(): boolean {
		return this.#file.isReplaced;
	}

	get projection(): Projection | undefined {
		return this.#projection;
	}

	/** Writes all events in one transaction. Those already there are not written again. */
	append(events: readonly AppendableEvent[], options: AppendOptions = {}): AppendResult {
		this.#refuseClosed();
		if (events.length === 0) return { seqs: [], added: 0 };
		this.#file.refuseReplaced();
		const result = this.transaction(() =>
			this.#appender.append(events, options, (records) => {
				this.#projection?.apply(records);
				this.#recent.wrote(records);
				if (!options.packed && this.#unsettledBytes !== undefined)
					this.#unsettledBytes += records.reduce((sum, record) => sum + record.size, 0);
			}),
		);
		this.#unsettledBytes ??= this.#packs.plainBytes();
		if (this.#unsettledBytes > MAX_PLAIN_BYTES) this.settle();
		return result;
	}

	/** Runs a synchronous function in a transaction; inside another one, in a savepoint. */
	transaction<T>(work: () => T): T {
		this.#refuseClosed();
		try {
			const result = this.#transactor.run(work);
			if (this.#db.isTransaction) return result;
			noteCommit();
			this.#recent.committed();
			this.#checkpointer.committed(() => this.#recent.isAlone());
			return result;
		} catch (error) {
			// Names interned and packs read inside were rolled back, too.
			this.forget();
			throw error;
		}
	}

	/** Runs a function that only reads, on one state of the log, while others may write. */
	snapshot<T>(work: () => T): T {
		this.#refuseClosed();
		this.#db.exec("BEGIN");
		try {
			this.newestSeq();
			return work();
		} catch (error) {
			throw translateSqliteError(error, this.path);
		} finally {
			if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
		}
	}

	read(query?: ReadQuery): Iterable<EventRecord> {
		this.#refuseClosed();
		return this.#reader.read(query);
	}

	/** As `read`, with the payload's exact text and the chain hash in place of the parsed payload. */
	readStored(query?: ReadQuery): Iterable<StoredRecord> {
		this.#refuseClosed();
		return this.#reader.readStored(query);
	}

	/** One event by its seq, its id, or the beginning of its id. */
	get(handle: number | string): EventRecord | undefined {
		this.#refuseClosed();
		return this.#reader.get(handle);
	}

	getStored(handle: number | string): StoredRecord | undefined {
		this.#refuseClosed();
		return this.#reader.getStored(handle);
	}

	/** The agent's own entry that an event holds, byte for byte. */
	rawText(seq: number): string | undefined {
		const stored = this.getStored(seq);
		return stored && splitLast(stored.text, "raw");
	}

	/** The handle by which a model or a person fetches the event at a seq. */
	handleAt(seq: number): string | undefined {
		this.#refuseClosed();
		return this.#handles.at(seq);
	}

	/** The seq of the event that a handle names. */
	findHandle(handle: string): number | undefined {
		this.#refuseClosed();
		const digits = handleDigits(handle);
		if (digits === undefined) return undefined;
		this.#handles.catchUp();
		return this.#handles.find(digits)[0];
	}

	/** Brings the deferred folds up to date. Costs one look if nothing was appended since the last time. */
	foldMissing(): void {
		const newest = this.newestSeq();
		if (newest === this.#folded) return;
		this.#projection?.catchUp();
		this.#folded = newest;
	}

	/** Brings everything with a checkpoint up to date: the deferred folds and the index of handles. */
	catchUp(): void {
		this.foldMissing();
		this.#handles.catchUp();
	}

	/** Derives everything again from the events. */
	rebuild(): void {
		this.#refuseClosed();
		this.#folded = 0;
		this.#recent.forget();
		this.#projection?.rebuild();
		this.#handles.rebuild();
		this.search.rebuild();
	}

	/** What is wrong with the index of handles, in sentences. */
	checkHandles(): string[] {
		this.#refuseClosed();
		return this.#handles.check();
	}

	/** The log as it was when `seq` was its newest event. */
	at(seq: number): LogView {
		this.#refuseClosed();
		return {
			seq,
			read: (query = {}) => this.read({ ...query, upTo: Math.min(query.upTo ?? seq, seq) }),
			get: (handle) => {
				const record = this.get(handle);
				return record && record.seq <= seq ? record : undefined;
			},
		};
	}

	/** Events as they come, from any process, until the signal aborts. */
	tail(options: TailOptions = {}): AsyncIterable<EventRecord> {
		this.#refuseClosed();
		return tail(
			this.folder,
			(query) => this.read(query),
			() => this.newestSeq(),
			options,
		);
	}

	newestSeq(): number {
		this.#refuseClosed();
		// Inside a transaction its own events count, although they may still be rolled back.
		return this.#glance && !this.#db.isTransaction ? this.#glance.get() : this.#readNewest();
	}

	#readNewest(): number {
		this.#newest ??= this.#db.prepare("SELECT max(seq) AS seq FROM event");
		return one<{ seq: number | null }>(this.#newest)?.seq ?? 0;
	}

	count(): number {
		this.#refuseClosed();
		return only<{ n: number }>(this.#db.prepare("SELECT count(*) AS n FROM event")).n;
	}

	/** Stores bytes once; returns their SHA-256 in hex. An event that names it in `blob` keeps it. */
	putBlob(bytes: Uint8Array): string {
		const key = this.transaction(() => this.#blobs.put(bytes));
		this.#blobs.hold(key, bytes);
		return hashFromBytes(key);
	}

	/** Bytes of the user's files, kept before a command could take them. */
	get kept(): KeptBytes {
		this.#refuseClosed();
		this.#kept ??= new KeptBytes({
			db: this.#db,
			folder: join(this.folder, "kept"),
			put: (bytes) => this.#blobs.put(bytes),
			transaction: (work) => this.transaction(work),
		});
		return this.#kept;
	}

	/** The bytes of a blob; undefined: there is none, or it is damaged and then among the `losses`. */
	getBlob(sha256: string): Buffer | undefined {
		this.#refuseClosed();
		const key = parseHash(sha256);
		const opened = key && this.#blobs.read(key);
		if (!opened || "bytes" in opened) return opened?.bytes;
		if (!opened.isMissing) this.#losses.note({ blob: sha256, why: opened.lost });
		return undefined;
	}

	/** Why a blob cannot be read, as a predicate; undefined: it can. */
	blobLoss(sha256: string): string | undefined {
		this.#refuseClosed();
		const key = parseHash(sha256);
		const opened = key && this.#blobs.read(key);
		return opened && "lost" in opened ? opened.lost : undefined;
	}

	/** The losses that reads have met since the log was opened; at most some thousands. */
	losses(): Loss[] {
		return this.#losses.all();
	}

	/** SHA-256 of every blob that begins with these hex digits, in order; at most `limit`. */
	blobHashes(prefix = "", limit = Number.MAX_SAFE_INTEGER): string[] {
		this.#refuseClosed();
		return this.#blobs.list(prefix, limit);
	}

	/** Call after reporting the losses: they are reported again only when another read meets them. */
	forgetLosses(): void {
		this.#losses.forget();
	}

	/** The chain hash at a seq: the event's, or what pruning left of it. */
	hashAt(seq: number): string | undefined {
		this.#refuseClosed();
		return this.#appender.hashAt(seq);
	}

	/** Puts a pruned event back at its seq; false: the chain does not prove it. */
	putBack(event: StoredRecord): boolean {
		this.#recent.forget();
		return this.transaction(() => {
			if (!this.#appender.putBack(event)) return false;
			this.#handles.putBack(event.seq);
			return true;
		});
	}

	/** Overwrites a lost event with a proved copy. Call inside a transaction. */
	putAgain(event: StoredRecord): void {
		this.#recent.forget();
		this.#appender.putAgain(event);
	}

	/** Rewrites a pack from its whole payloads. Call inside a transaction. */
	rewritePack(first: number, last: number): void {
		this.#packs.rewrite(first, last, (seq) => {
			const stored = this.#reader.getStored(seq);
			return stored?.lost === undefined ? stored?.text : undefined;
		});
	}

	/** Removes the payloads and handles of the events in a (temporary) table, before their rows are deleted. */
	clear(table: string): void {
		this.#recent.forget();
		this.transaction(() => {
			this.#packs.blank(this.#db, table);
			this.#handles.remove(table);
		});
	}

	/** Packs plain payloads. `all`: also the last ones, which do not fill a pack yet. */
	settle(options: { readonly all?: boolean | undefined } = {}): void {
		while (this.transaction(() => this.#packs.settle({ all: options.all ?? false })));
		this.#unsettledBytes = 0;
		if (!this.#db.isTransaction) shrink(this.#db);
	}

	/** Moves the WAL into the database file, so that a copy of the file is a copy of the log. */
	flush(): void {
		this.#refuseClosed();
		this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
	}

	/** As `flush`, unless another process is reading: never waits. */
	checkpoint(): void {
		this.#refuseClosed();
		if (this.readOnly || this.#db.isTransaction) return;
		checkpointNow(this.#db);
	}

	/** The same after what runs now. The log may be closed by then. */
	checkpointSoon(): void {
		setImmediate(() => {
			try {
				if (this.#open) this.checkpoint();
			} catch {
				// The WAL stays until another process moves it.
			}
		});
	}

	/** Drops everything cached of the file, so that the next read sees the disk. */
	forget(): void {
		noteCommit();
		this.#folded = 0;
		this.#recent.forget();
		this.#words.forget();
		this.#packs.forget();
		this.#blobs.forget();
		this.#madeAppender?.forget();
		this.#handles.forget();
	}

	/** A test for events that were fetched from a fleet. */
	fetched(): (record: EventRecord) => boolean {
		return fetchedIn(this);
	}

	meta(key: string): string | undefined {
		this.#refuseClosed();
		return one<{ value: string }>(this.#db.prepare("SELECT value FROM meta WHERE key = ?"), key)?.value;
	}

	setMeta(key: string, value: string): void {
		this.transaction(() =>
			this.#db
				.prepare("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
				.run(key, value),
		);
	}

	/** Idempotent. Moves the WAL into the database file, unless another process is still reading it. */
	close(): void {
		if (!this.#open) return;
		this.#open = false;
		this.#checkpointer.end();
		closeDatabase(this.#db, { readOnly: this.readOnly });
	}

	[Symbol.dispose](): void {
		this.close();
	}

	#noticeWait(): void {
		if (this.#isWaitNoticed) return;
		this.#isWaitNoticed = true;
		this.options.onWait?.(
			`${this.path} is held by another process. Waiting for up to a minute; 'weft doctor' names the process.`,
		);
	}

	#searchSource(): ConstructorParameters<typeof Search>[0] {
		return {
			db: this.#db,
			transaction: (work) => this.transaction(work),
			records: (query) => [...this.#reader.read({ ...query, everything: true })],
			record: (seq) => this.#reader.get(seq),
			wordId: (text) => this.#words.find(text),
			internWord: (text) => this.#words.intern(text),
			word: (id) => this.#words.text(id),
		};
	}

	#refuseClosed(): void {
		refuseClosed(this.#db);
	}
}

/** An id holds whole milliseconds: with a fraction it would not be the one that the chain has. */
function wholeClock(now: () => number = Date.now): () => number {
	return () => Math.trunc(now());
}
