/** The message of a hook on standard input, read once by the code that answers it. */

/** Undefined: it has more than the limit; `bytes` says how many. */
export interface HookInput {
	readonly bytes: number;
	readonly message: Buffer | undefined;
}

let reading: Promise<HookInput> | undefined;

export function hookInput(maxBytes: number): Promise<HookInput> {
	reading ??= readAll(process.stdin, maxBytes);
	return reading;
}

async function readAll(stream: NodeJS.ReadableStream, maxBytes: number): Promise<HookInput> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of stream) {
		bytes += Buffer.byteLength(chunk);
		if (bytes <= maxBytes) chunks.push(Buffer.from(chunk));
	}
	return { bytes, message: bytes > maxBytes ? undefined : Buffer.concat(chunks) };
}
