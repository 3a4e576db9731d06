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
