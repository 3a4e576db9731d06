/** Every request as it would go out, one JSON line a mode and request: whoever doubts the numbers can compute them. */
import { closeSync, openSync, realpathSync, writeSync } from "node:fs";
import { EngineError } from "../base/error/engine-error.ts";
import { writeError } from "../base/file/write-error.ts";
import { writeJson } from "../base/json/write.ts";
import { hostMessages } from "../context/envelope/envelope.ts";
import type { ReplayedRequest } from "./requests.ts";

export class RequestDump {
	readonly #file: number;
	readonly #path: string;

	/** Replaces the file, if there is one. */
	constructor(path: string) {
		this.#file = openForWriting(path);
		this.#path = path;
	}

	add(mode: string, { call, envelope, summariserTokens }: ReplayedRequest, tokens: number): void {
		const { index, answer } = call;
		const messages = hostMessages(envelope);
		const told = { mode, index, ts: answer.ts, tokens, summariserTokens, messages };
		const line = Buffer.from(`${writeJson(told)}\n`);
		try {
			for (let at = 0; at < line.length; ) at += writeSync(this.#file, line, at);
		} catch (cause) {
			throw writeError(cause, this.#path);
		}
	}

	close(): void {
		closeSync(this.#file);
	}
}

/** For what can be made again at any time: another file of that name is replaced. */
export function openForWriting(path: string): number {
	try {
		return openSync(path, "w", 0o600);
	} catch (cause) {
		throw new EngineError("refused", `${path} cannot be written. Check the folder and its permissions.`, { cause });
	}
}

export function refuseSame(path: string, recording: string): void {
	let same = false;
	try {
		same = realpathSync(path) === realpathSync(recording);
	} catch {
		// One of them is not there: they are not the same.
	}
	if (same) throw new EngineError("refused", `${path} is the recording itself. Choose another file.`);
}
