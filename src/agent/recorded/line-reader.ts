/**
 * Reads the lines of a file one at a time, in memory bounded by the longest line. Only \n ends a line: JSON may hold U+2028
 * and the like unescaped, where readline would split.
 */
import { EngineError } from "../../base/error/engine-error.ts";
import { streamRegular } from "../../base/file/regular-file.ts";

export interface FileLine {
	/** From 1. */
	readonly number: number;
	/** Without its line end; undefined if the line is too long, or has more zeros than a power cut leaves. */
	readonly text: string | undefined;
	/** The trimmed bytes of a line that is not UTF-8, for which the text has U+FFFD. */
	readonly bytes?: Buffer | undefined;
	/** False for a last line without a line end: its program may still be writing it. */
	readonly ended: boolean;
	/** Bytes of the file up to and including this line. */
	readonly offset: number;
}

export const MAX_LINE_BYTES = 256 * 1024 * 1024;
/** A line that begins with zeros, or has a piece of nothing else, is no text: a power cut leaves such, or a file of holes. */
const MAX_ZERO_BYTES = 64 * 1024 * 1024;
/** Of one piece of the file. */
const ZERO_PIECE = Buffer.alloc(64 * 1024);

/** How much of the file was read before. */
export interface LineStart {
	readonly offset: number;
	readonly number: number;
}

export async function* readLines(path: string): AsyncGenerator<FileLine> {
	for await (const lines of readLineRuns(path)) yield* lines;
}

/** The same lines with one await per piece of the file, not per line. Read each run to its end before the next. */
export async function* readLineRuns(
	path: string,
	maxLineBytes = MAX_LINE_BYTES,
	start: LineStart = { offset: 0, number: 0 },
): AsyncGenerator<Iterable<FileLine>> {
	let parts: Buffer[] = [];
	let held = 0;
	let { number, offset } = start;
	let isZero = false;
	/** In pieces of nothing else, of all lines. */
	let zeroBytes = 0;
	const hold = (bytes: Buffer) => {
		if (held === 0) isZero = bytes[0] === 0;
		const zeros = zeroBytesIn(bytes);
		isZero ||= zeros > 0;
		zeroBytes += zeros;
		held += bytes.length;
		offset += bytes.length;
		if (held <= maxLineBytes) parts.push(bytes);
		else parts = [];
	};
	const take = (ended: boolean): FileLine => {
		const [only, ...others] = parts;
		const bytes = only && others.length === 0 ? only : Buffer.concat(parts);
		const isTooLong = held > maxLineBytes || (isZero && held > MAX_ZERO_BYTES);
		parts = [];
		held = 0;
		number++;
		const decoded = isTooLong ? { text: undefined } : decode(bytes, number === 1);
		return { number, ...decoded, ended, offset };
	};

	const linesIn = function* (chunk: Buffer): Generator<FileLine> {
		let from = 0;
		for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
			hold(chunk.subarray(from, end));
			offset++;
			from = end + 1;
			yield take(true);
		}
		if (from < chunk.length) hold(chunk.subarray(from));
	};

	for await (const chunk of chunksOf(path, start.offset)) {
		yield linesIn(chunk);
		// Nothing worth reading follows so many.
		if (zeroBytes > MAX_ZERO_BYTES || (isZero && held > MAX_ZERO_BYTES)) break;
	}
	if (held > 0) yield [take(false)];
}

async function* chunksOf(path: string, start: number): AsyncGenerator<Buffer> {
	try {
		yield* streamRegular(path, start);
	} catch (cause) {
		if (cause instanceof EngineError) throw cause;
		throw new EngineError("not-found", `${path} cannot be read. Check the path and its permissions.`, { cause });
	}
}

/** Whole pieces of zeros: a hole of a file has many, and no text has one. */
function zeroBytesIn(bytes: Buffer): number {
	let found = 0;
	for (let at = 0; at + ZERO_PIECE.length <= bytes.length; at += ZERO_PIECE.length) {
		if (bytes[at] === 0 && bytes.subarray(at, at + ZERO_PIECE.length).equals(ZERO_PIECE)) found += ZERO_PIECE.length;
	}
	return found;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

function decode(bytes: Buffer, isFirst: boolean): Pick<FileLine, "text" | "bytes"> {
	try {
		return { text: withoutEnds(strict.decode(bytes), isFirst) };
	} catch (error) {
		// V8's longest string is shorter than some lines.
		if (error instanceof RangeError) return { text: undefined };
		const whole = lenient.decode(bytes);
		// Blanks are valid UTF-8, so they have the same length in the file and in the text.
		const before = Buffer.byteLength(whole.slice(0, whole.length - whole.trimStart().length));
		const after = Buffer.byteLength(whole.slice(whole.trimEnd().length));
		return { text: withoutEnds(whole, isFirst), bytes: bytes.subarray(before, bytes.length - after) };
	}
}

/** Without a byte order mark and a carriage return. */
function withoutEnds(text: string, isFirst: boolean): string {
	const start = isFirst && text.startsWith("\ufeff") ? 1 : 0;
	const end = text.endsWith("\r") ? text.length - 1 : text.length;
	return text.slice(start, end);
}
