/**
 * Damage in a write-ahead log. SQLite reads a WAL up to the first frame whose checksum does not fit and ignores the rest without a
 * word, so this must be asked before the database is opened: the next commit overwrites the rest.
 * The format is https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { endianness } from "node:os";

export interface WalDamage {
	/** Byte of the WAL at which the first frame that cannot be read begins. */
	readonly byte: number;
	/** Commits from there on. Some of them may be in the database already. */
	readonly commits: number;
}

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The lowest bit says in which order the checksums read the bytes. */
const MAGIC = 0x37_7f_06_82;
/** A WAL is a few megabytes long. Of one that was left to grow, only the beginning is checked. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;
/** Another process may be writing: damage is the same at a second look. */
const SECOND_LOOK_MS = 25;

/** Undefined: every commit in the WAL can be read, or there is no WAL. */
export function findWalDamage(databasePath: string): WalDamage | undefined {
	const path = `${databasePath}-wal`;
	const found = lookAt(path);
	if (!found) return undefined;
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SECOND_LOOK_MS);
	const again = lookAt(path);
	const isSame = again?.salt === found.salt && again.byte === found.byte;
	return isSame ? { byte: again.byte, commits: again.commits } : undefined;
}

interface FoundDamage extends WalDamage {
	/** Names the generation of the WAL: SQLite chooses another one when it begins again at its first byte. */
	readonly salt: string;
}

function lookAt(path: string): FoundDamage | undefined {
	const bytes = readBeginning(path);
	if (!bytes || bytes.length < HEADER_BYTES + FRAME_HEADER_BYTES) return undefined;
	const pageBytes = bytes.readUInt32BE(8);
	const isPowerOfTwo = (pageBytes & (pageBytes - 1)) === 0;
	// Nothing says where frames begin.
	if (pageBytes < 512 || pageBytes > 65_536 || !isPowerOfTwo) return undefined;
	const frameBytes = FRAME_HEADER_BYTES + pageBytes;
	const sum = new Checksum(bytes, (bytes.readUInt32BE(0) & 1) === 1);
	sum.add(0, HEADER_BYTES - 8);
	const isHeaderWhole = bytes.readUInt32BE(0) >>> 1 === MAGIC >>> 1 && sum.isAt(HEADER_BYTES - 8);
	const saltAt = isHeaderWhole ? 16 : HEADER_BYTES + 8;
	const salt = bytes.toString("hex", saltAt, saltAt + 8);
	let at = HEADER_BYTES;
	while (isHeaderWhole && at + frameBytes <= bytes.length && bytes.toString("hex", at + 8, at + 16) === salt) {
		sum.add(at, 8);
		sum.add(at + FRAME_HEADER_BYTES, pageBytes);
		if (!sum.isAt(at + 16)) break;
		at += frameBytes;
	}
	let commits = 0;
	const acknowledged = HEADER_BYTES + acknowledgedFrames(path, salt) * frameBytes;
	for (let next = at; next + frameBytes <= Math.min(bytes.length, acknowledged); next += frameBytes) {
		const isOfThis = bytes.toString("hex", next + 8, next + 16) === salt;
		if (isOfThis && bytes.readUInt32BE(next + 4) !== 0) commits++;
	}
	return commits === 0 ? undefined : { byte: at, commits, salt };
}

/**
 * How many frames SQLite has acknowledged, as the index beside the WAL says. A process that was killed in the middle of a
 * commit may have written the head of its last frame and not the page: nothing of that is missing. Infinity: there is no index,
 * or it is of another generation.
 */
function acknowledgedFrames(path: string, salt: string): number {
	const index = readBeginning(path.replace(/-wal$/, "-shm"), 2 * INDEX_HEADER_BYTES);
	if (index?.length !== 2 * INDEX_HEADER_BYTES) return Number.POSITIVE_INFINITY;
	const [one, two] = [index.subarray(0, INDEX_HEADER_BYTES), index.subarray(INDEX_HEADER_BYTES)];
	const isWhole = one.equals(two) && one[INDEX_INIT_AT] === 1;
	if (!isWhole || one.toString("hex", INDEX_SALT_AT, INDEX_SALT_AT + 8) !== salt) return Number.POSITIVE_INFINITY;
	return endianness() === "LE" ? one.readUInt32LE(INDEX_FRAMES_AT) : one.readUInt32BE(INDEX_FRAMES_AT);
}

/** https://www.sqlite.org/walformat.html#the_wal_index_file_format, in this machine's byte order. */
const INDEX_HEADER_BYTES = 48;
const INDEX_INIT_AT = 12;
const INDEX_FRAMES_AT = 16;
const INDEX_SALT_AT = 32;

/** The running checksum of a WAL, over pairs of 32-bit words. */
class Checksum {
	readonly #view: DataView;
	readonly #words: Uint32Array | undefined;
	readonly #isLittle: boolean;
	#one = 0;
	#two = 0;

	constructor(bytes: Buffer, isBigEndian: boolean) {
		this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		this.#isLittle = !isBigEndian;
		const isNative = (endianness() === "LE") === this.#isLittle && bytes.byteOffset % 4 === 0;
		if (isNative) this.#words = new Uint32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 4));
	}

	add(at: number, count: number): void {
		let [one, two] = [this.#one, this.#two];
		const words = this.#words;
		if (words) {
			for (let word = at / 4; word < (at + count) / 4; word += 2) {
				one = (one + (words[word] ?? 0) + two) | 0;
				two = (two + (words[word + 1] ?? 0) + one) | 0;
			}
		} else {
			for (let byte = at; byte < at + count; byte += 8) {
				one = (one + this.#view.getUint32(byte, this.#isLittle) + two) | 0;
				two = (two + this.#view.getUint32(byte + 4, this.#isLittle) + one) | 0;
			}
		}
		[this.#one, this.#two] = [one, two];
	}

	/** Whether the file has this sum there. */
	isAt(byte: number): boolean {
		return this.#view.getInt32(byte) === this.#one && this.#view.getInt32(byte + 4) === this.#two;
	}
}

/** Undefined: there is no such file, or it cannot be read. */
function readBeginning(path: string, mostBytes = MAX_CHECKED_BYTES): Buffer | undefined {
	const stat = statSync(path, { throwIfNoEntry: false });
	if (!stat?.isFile() || stat.size === 0) return undefined;
	let file: number | undefined;
	try {
		file = openSync(path, "r");
		const bytes = Buffer.from(new ArrayBuffer(Math.min(stat.size, mostBytes)));
		let read = 0;
		while (read < bytes.length) {
			const more = readSync(file, bytes, read, bytes.length - read, read);
			if (more === 0) break;
			read += more;
		}
		return bytes.subarray(0, read);
	} catch {
		return undefined;
	} finally {
		if (file !== undefined) closeSync(file);
	}
}
