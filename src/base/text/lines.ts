/** The lines of a byte stream, decoded as UTF-8, without their line ends. Memory is bounded by the longest line. */
export async function* splitLines(stream: AsyncIterable<Buffer>, maxLineBytes: number): AsyncGenerator<string> {
	let parts: Buffer[] = [];
	let held = 0;
	for await (const chunk of stream) {
		let start = 0;
		for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
			parts.push(chunk.subarray(start, end));
			yield decodeLine(parts);
			parts = [];
			held = 0;
			start = end + 1;
		}
		if (start < chunk.length) parts.push(chunk.subarray(start));
		held += chunk.length - start;
		if (held > maxLineBytes) throw new LineTooLong();
	}
	if (parts.length > 0) yield decodeLine(parts);
}

export class LineTooLong extends Error {}

function decodeLine(parts: readonly Buffer[]): string {
	const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
	return bytes.toString("utf8", 0, bytes.at(-1) === 13 ? bytes.length - 1 : bytes.length);
}

export function firstLine(text: string): string {
	const end = text.indexOf("\n");
	return end === -1 ? text : text.slice(0, end);
}

/** How many lines a text has; a line break at its end closes the last line and opens none. */
export function countLines(text: string): number {
	if (text === "") return 0;
	let lines = 1;
	for (let at = text.indexOf("\n"); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines++;
	return lines;
}

/** Texts that differ in nothing but their line ends, as git writes them with `autocrlf`, count as the same. */

const CR = 13;
const LF = 10;
/** Git looks this far for a NUL when it decides whether a file is text. */
const BINARY_PROBE_BYTES = 8_000;

/** The bytes with \r\n as \n; the same buffer where there is nothing to change, or where it is no text. */
export function withPlainLineEnds(bytes: Buffer): Buffer {
	if (isBinary(bytes) || bytes.indexOf("\r\n") === -1) return bytes;
	const plain = Buffer.allocUnsafe(bytes.length);
	let length = 0;
	for (let i = 0; i < bytes.length; i++) {
		if (bytes[i] === CR && bytes[i + 1] === LF) continue;
		plain[length++] = bytes[i] ?? 0;
	}
	return plain.subarray(0, length);
}

export function isBinary(bytes: Buffer): boolean {
	return bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
}

/** A line break at the end closes the last line and opens none. */
export function countByteLines(bytes: Buffer): number {
	if (bytes.length === 0) return 0;
	let lines = bytes.at(-1) === LF ? 0 : 1;
	for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines++;
	return lines;
}

/** The text with \r\n as \n. */
export function plainText(text: string): string {
	return text.replaceAll("\r\n", "\n");
}
