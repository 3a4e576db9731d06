/** Every request as it would be sent, one JSON line per mode and request, so that readers can check the numbers. */
import { closeSync, openSync, realpathSync, writeSync } from "node:fs";
import { EngineError } from "../base/error/engine-error.ts";
import { writeError } from "../base/file/atomic-write.ts";
import { writeJson } from "../base/json/write.ts";
import { hostMessages } from "../context/envelope/envelope.ts";
import type { ReplayedRequest } from "./requests.ts";

export class RequestDump {
	readonly #file: number;
	readonly #path: string;

	/** Replaces an existing file. */
	constructor(path: string) {
		this.#path = path;
		try {
			this.#file = openSync(path, "w", 0o600);
		} catch (cause) {
			throw new EngineError("refused", `${path} cannot be written. Check the folder and its permissions.`, { cause });
		}
	}

	add(mode: string, { call, envelope, summariserTokens }: ReplayedRequest, tokens: number): void {
		const { index, answer } = call;
		const messages = hostMessages(envelope);
		const line = { mode, index, ts: answer.ts, tokens, summariserTokens, messages };
		const bytes = Buffer.from(`${writeJson(line)}\n`);
		try {
			for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
		} catch (cause) {
			throw writeError(cause, this.#path);
		}
	}

	close(): void {
		closeSync(this.#file);
	}
}

export function refuseSame(path: string, recording: string): void {
	let same = false;
	try {
		same = realpathSync(path) === realpathSync(recording);
	} catch {
		// One of them does not exist, so they differ.
	}
	if (same) throw new EngineError("refused", `${path} is the recording itself. Choose another file.`);
}
