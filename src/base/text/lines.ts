/** The lines of a byte stream, decoded as UTF-8, without their line ends. Memory is bounded by the longest line. */
export async function* splitLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
	let parts: Buffer[] = [];
	for await (const chunk of stream) {
		let start = 0;
		for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
			parts.push(chunk.subarray(start, end));
			yield decodeLine(parts);
			parts = [];
			start = end + 1;
		}
		if (start < chunk.length) parts.push(chunk.subarray(start));
	}
	if (parts.length > 0) yield decodeLine(parts);
}

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
