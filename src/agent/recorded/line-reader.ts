/**
 * The lines of a file, one at a time, in memory bounded by the longest line. Lines end at \n alone: JSON may hold U+2028
 * and its like unescaped, which readline would cut at.
 */
import { createReadStream } from "node:fs";
import { EngineError } from "../../base/error/engine-error.ts";
import { openRegular } from "../../base/file/regular-file.ts";

export interface Line {
	/** From 1. */
	readonly number: number;
	/** Without its line end; undefined where the line is too long. */
	readonly text: string | undefined;
	/** What the line really holds, without blanks around it, where it is not UTF-8: in the text U+FFFD stands for some bytes. */
	readonly bytes?: Buffer | undefined;
	/** False for a last line without a line end: somebody may still be writing it. */
	readonly ended: boolean;
	/** Bytes of the file up to and with this line. */
	readonly offset: number;
}

export const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** Where to begin: after so many bytes and lines, which were read before. */
export interface LineStart {
	readonly offset: number;
	readonly number: number;
}

export async function* readLines(path: string): AsyncGenerator<Line> {
	for await (const lines of readLineRuns(path)) yield* lines;
}

/** The same lines for whoever reads many of them: those of a piece of the file at once. Each run is read to its end before the next. */
export async function* readLineRuns(
	path: string,
	maxLineBytes = MAX_LINE_BYTES,
	start: LineStart = { offset: 0, number: 0 },
): AsyncGenerator<Iterable<Line>> {
	let parts: Buffer[] = [];
	let held = 0;
	let { number, offset } = start;
	const hold = (bytes: Buffer) => {
		held += bytes.length;
		offset += bytes.length;
		if (held <= maxLineBytes) parts.push(bytes);
		else parts = [];
	};
	const take = (ended: boolean): Line => {
		const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
		const tooLong = held > maxLineBytes;
		parts = [];
		held = 0;
		number++;
		const decoded = tooLong ? { text: undefined } : decode(bytes, number === 1);
		return { number, ...decoded, ended, offset };
	};

	const linesIn = function* (chunk: Buffer): Generator<Line> {
		let from = 0;
		for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
			hold(chunk.subarray(from, end));
			offset++;
			from = end + 1;
			yield take(true);
		}
		if (from < chunk.length) hold(chunk.subarray(from));
	};

	for await (const chunk of chunksOf(path, start.offset)) yield linesIn(chunk);
	if (held > 0) yield [take(false)];
}

async function* chunksOf(path: string, start: number): AsyncGenerator<Buffer> {
	try {
		const fd = openRegular(path);
		yield* createReadStream(path, { fd, start, highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>;
	} catch (cause) {
		if (cause instanceof EngineError) throw cause;
		throw new EngineError("not-found", `${path} cannot be read. Check the path and its permissions.`, { cause });
	}
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

function decode(bytes: Buffer, first: boolean): Pick<Line, "text" | "bytes"> {
	try {
		return { text: trimmed(strict.decode(bytes), first) };
	} catch (error) {
		// The longest text that V8 can hold is shorter than some lines.
		if (error instanceof RangeError) return { text: undefined };
		const whole = lenient.decode(bytes);
		// Blanks are UTF-8: as long in the file as in the text.
		const before = Buffer.byteLength(whole.slice(0, whole.length - whole.trimStart().length));
		const after = Buffer.byteLength(whole.slice(whole.trimEnd().length));
		return { text: trimmed(whole, first), bytes: bytes.subarray(before, bytes.length - after) };
	}
}

function trimmed(text: string, first: boolean): string {
	const start = first && text.startsWith("\ufeff") ? 1 : 0;
	const end = text.endsWith("\r") ? text.length - 1 : text.length;
	return text.slice(start, end);
}
