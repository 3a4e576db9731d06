/**
 * JSON-RPC over two streams, one message per line. Messages of any size are read in linear time; one above the limit gets an
 * error by name, and the next is read as ever. The connection ends when the agent closes its end, or can no longer be answered.
 */
import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { asObject, type JsonObject } from "../../base/json/read.ts";
import { type StreamLine, StreamLines } from "../../base/text/stream-lines.ts";
import { idOfLargeMessage, MAX_MESSAGE_BYTES, type MessageId, messageTooLarge } from "../live/agent-messages.ts";

export const RPC_CODES = { parse: -32_700, invalid: -32_600, unknownMethod: -32_601, internal: -32_603 } as const;

/** An error with a code of the protocol. */
export class RpcError extends Error {
	readonly code: number;
	/** Of an error of ours that another process has answered with. */
	readonly named: string | undefined;

	constructor(code: number, message: string, named?: string) {
		super(message);
		this.code = code;
		this.named = named;
	}
}

export interface JsonRpcOptions {
	readonly input: NodeJS.ReadableStream;
	readonly output: NodeJS.WritableStream;
	/** Answers a request; may throw. */
	readonly answer: (method: string, params: JsonObject, signal: AbortSignal) => unknown;
	/** A message that could not be read, or a stream that failed. */
	readonly onFault: (where: string, error: unknown) => void;
	readonly maxMessageBytes?: number | undefined;
	/** Ends the connection at once. */
	readonly signal?: AbortSignal | undefined;
	/**
	 * Called for each line of the input, by its number from 1, when it needs nothing more; `answer`: what it was answered with. In
	 * place of writing the answer to `output`.
	 */
	readonly onDone?: ((line: number, answer: string | undefined) => void) | undefined;
}

/** Resolves when the connection has ended. Requests that came before the end are answered, unless `signal` ended it. */
export async function serveJsonRpc(options: JsonRpcOptions): Promise<void> {
	const connection = new RpcConnection(options);
	await connection.ended;
	// An input that is still open would keep the process alive.
	options.input.pause();
}

class RpcConnection {
	readonly ended: Promise<void>;
	readonly #options: JsonRpcOptions;
	readonly #lines: StreamLines;
	readonly #maxBytes: number;
	readonly #open = new Map<MessageId, AbortController>();
	readonly #pending = new Set<Promise<void>>();
	#count = 0;
	#canWrite = true;

	constructor(options: JsonRpcOptions) {
		const { input, output, onFault, signal, maxMessageBytes = MAX_MESSAGE_BYTES } = options;
		this.#options = options;
		this.#maxBytes = maxMessageBytes;
		this.#lines = new StreamLines(maxMessageBytes);
		this.ended = new Promise((resolve) => {
			const stop = () => {
				this.#canWrite = false;
				for (const request of this.#open.values()) request.abort();
				resolve();
			};
			const fail = (where: string) => (error: Error) => {
				if (this.#canWrite) onFault(where, error);
				stop();
			};
			const finish = () => void Promise.allSettled([...this.#pending]).then(() => resolve());
			input.on("data", (chunk: Buffer | string) => this.#read(Buffer.from(chunk)));
			input.once("end", () => {
				for (const line of this.#lines.rest()) this.#take(line);
				finish();
			});
			input.once("close", finish);
			input.on("error", fail("input"));
			output.on("error", fail("output"));
			if (signal?.aborted) stop();
			signal?.addEventListener("abort", stop, { once: true });
		});
	}

	#read(chunk: Buffer): void {
		for (const line of this.#lines.take(chunk)) this.#take(line);
	}

	#take(line: StreamLine): void {
		const count = ++this.#count;
		if (line.kind === "too-long") this.#refuse(count, line.bytes, idOfLargeMessage(line));
		else if (line.text.trim() !== "") this.#parse(count, line.text);
		else this.#finish(count);
	}

	#parse(line: number, text: string): void {
		let message: unknown;
		try {
			message = JSON.parse(text);
		} catch (error) {
			const text = `A message of the agent is not JSON: ${errorText(error)}`;
			this.#options.onFault("message", new EngineError("unknown-format", text));
			this.#finish(line, { id: null, error: { code: RPC_CODES.parse, message: text } });
			return;
		}
		const request = asObject(message);
		if (request) this.#answer(line, request);
		else this.#finish(line, { id: null, error: { code: RPC_CODES.invalid, message: "A message is one object." } });
	}

	/** A notification has no id, and its sender waits for no answer: the fault is all that is left of it. */
	#refuse(line: number, bytes: number, id: MessageId | undefined): void {
		const error = messageTooLarge(bytes, this.#maxBytes);
		this.#options.onFault("message", error);
		this.#finish(line, id === undefined ? undefined : { id, error: errorOf(error) });
	}

	#answer(line: number, message: JsonObject): void {
		const { id, method, params } = message;
		const args = asObject(params) ?? {};
		if (method === "notifications/cancelled") this.#open.get(args["requestId"] as MessageId)?.abort();
		if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) {
			this.#finish(line);
			return;
		}
		const work = this.#run(id, method, args).then((answer) => this.#finish(line, answer));
		this.#pending.add(work);
		void work.finally(() => this.#pending.delete(work));
	}

	/** Undefined: an agent that has cancelled a request expects no answer. */
	async #run(id: MessageId, method: string, params: JsonObject): Promise<object | undefined> {
		const request = new AbortController();
		this.#open.set(id, request);
		try {
			const result = await this.#options.answer(method, params, request.signal);
			return request.signal.aborted ? undefined : { id, result };
		} catch (error) {
			return request.signal.aborted ? undefined : { id, error: errorOf(error) };
		} finally {
			this.#open.delete(id);
		}
	}

	#finish(line: number, answer?: object): void {
		if (!this.#canWrite) return;
		const { output, onDone } = this.#options;
		const text = answer && JSON.stringify({ jsonrpc: "2.0", ...answer });
		if (onDone) onDone(line, text);
		else if (text !== undefined) output.write(`${text}\n`);
	}
}

/** An error of ours has its name beside the sentence, for programs. */
function errorOf(error: unknown): object {
	const message = errorText(error);
	const name = error instanceof RpcError ? error.named : error instanceof EngineError ? error.code : undefined;
	const code = error instanceof RpcError ? error.code : RPC_CODES.internal;
	return { code, message, ...(name !== undefined && { data: { name } }) };
}
