/** What a process sends first over a connection that stays: itself, as a hook does, after the number of its bytes. */
import type { Duplex } from "node:stream";
import { type HookRequest, readHookRequest, writeHookRequest } from "./hook-request.ts";

const MAX_OPENING_BYTES = 4 * 1024 * 1024;
const LINE_FEED = 10;

export function writeOpening(request: HookRequest): Buffer {
	const bytes = writeHookRequest(request);
	return Buffer.concat([Buffer.from(`${bytes.length}\n`), bytes]);
}

/** The process on the other end. Undefined: it is no such message. Throws if the resident ends first. */
export async function readOpening(stream: Duplex, stopped: AbortSignal): Promise<HookRequest | undefined> {
	const stop = () => stream.destroy();
	stopped.addEventListener("abort", stop);
	try {
		return await readRequest(stream);
	} finally {
		stopped.removeEventListener("abort", stop);
	}
}

async function readRequest(stream: Duplex): Promise<HookRequest | undefined> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
		chunks.push(chunk);
		bytes += chunk.length;
		if (bytes > MAX_OPENING_BYTES) return undefined;
		const all = Buffer.concat(chunks);
		const start = all.indexOf(LINE_FEED) + 1;
		if (start === 0) continue;
		const end = start + Number(all.toString("latin1", 0, start - 1));
		if (!(end <= MAX_OPENING_BYTES)) return undefined;
		if (all.length < end) continue;
		stream.unshift(all.subarray(end));
		return readHookRequest(all.subarray(start, end));
	}
	return undefined;
}
