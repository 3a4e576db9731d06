/**
 * Calls of an agent's process, passed to the project's resident over one connection. A call that gets no answer because the
 * resident has died goes to the next one; where none comes, or it hangs, this process answers by itself from then on.
 */
import type { Socket } from "node:net";
import { asObject, asText, type JsonObject, parseObject } from "../../base/json/read.ts";
import { StreamLines } from "../../base/text/stream-lines.ts";
import { MAX_MESSAGE_BYTES } from "../live/agent-messages.ts";
import { RpcError } from "../mcp/json-rpc.ts";
import type { ResidentAddress } from "./address.ts";
import {
	type AgentCalls,
	type CallingProcess,
	END_METHOD,
	MAX_SILENCE_MS,
	OPEN_METHOD,
	UPGRADE_NAME,
} from "./call-lines.ts";
import { connectTo, markHung, stateOfHung } from "./client.ts";

export interface PassedCallsOptions {
	readonly address: ResidentAddress;
	readonly process: CallingProcess;
	/** Starts a resident. False: there is none, and none comes. */
	readonly start: () => Promise<boolean>;
	/** Loads weft in this process. Called once. */
	readonly load: () => Promise<AgentCalls>;
}

/** A resident that dies at each call must not be started for ever. */
const MAX_CONNECTIONS = 5;

export class PassedCalls implements AgentCalls {
	readonly #options: PassedCallsOptions;
	#connection: Promise<Connection | undefined> | undefined;
	#connections = 0;
	#local: Promise<AgentCalls> | undefined;

	constructor(options: PassedCallsOptions) {
		this.#options = options;
	}

	async answer(method: string, params: JsonObject, signal: AbortSignal): Promise<unknown> {
		while (!this.#local) {
			const opening = this.#connected();
			const connection = await opening;
			if (!connection) break;
			const reply = await connection.call(method, params, signal);
			if (reply.kind === "answered") return reply.result;
			if (this.#connection === opening) this.#connection = undefined;
			if (reply.kind === "lost") continue;
			markHung(this.#options.address);
			break;
		}
		const calls = await this.#here();
		return method === END_METHOD ? undefined : calls.answer(method, params, signal);
	}

	async end(): Promise<void> {
		if (!this.#local) await this.answer(END_METHOD, {}, new AbortController().signal);
		(await this.#connection)?.close();
		await (await this.#local)?.end();
	}

	#here(): Promise<AgentCalls> {
		this.#local ??= this.#options.load();
		return this.#local;
	}

	#connected(): Promise<Connection | undefined> {
		this.#connection ??= this.#connect();
		return this.#connection;
	}

	/** Undefined: this process answers. */
	async #connect(): Promise<Connection | undefined> {
		if (++this.#connections > MAX_CONNECTIONS) return undefined;
		let found = await this.#open();
		if (found === "absent" && (await this.#options.start())) found = await this.#open();
		return found === "absent" ? undefined : found;
	}

	/** Undefined: the resident refuses, or hangs. */
	async #open(): Promise<Connection | "absent" | undefined> {
		const hung = await stateOfHung(this.#options.address);
		if (hung) return hung === "hangs" ? undefined : "absent";
		const stream = connectTo(this.#options.address);
		if (!stream) return "absent";
		const connection = new Connection(stream);
		const { args, env, folder, pid } = this.#options.process;
		const signal = new AbortController().signal;
		try {
			const reply = await connection.call(OPEN_METHOD, { args: [...args], env: { ...env }, folder, pid }, signal);
			if (reply.kind === "answered") return connection;
			if (reply.kind === "lost") return "absent";
			markHung(this.#options.address);
			return undefined;
		} catch {
			connection.close();
			return undefined;
		}
	}
}

type Reply =
	| { readonly kind: "answered"; readonly result: unknown }
	/** The connection has ended without an answer. */
	| { readonly kind: "lost" }
	| { readonly kind: "hung" };

interface WaitingCall {
	readonly resolve: (reply: Reply) => void;
	readonly reject: (error: Error) => void;
}

class Connection {
	readonly #stream: Socket;
	readonly #lines = new StreamLines(MAX_MESSAGE_BYTES);
	readonly #waiting = new Map<number, WaitingCall>();
	#next = 0;
	#isOpen = true;
	#heardAt = 0;
	#watch: NodeJS.Timeout | undefined;

	constructor(stream: Socket) {
		this.#stream = stream;
		stream.write(`GET /lines HTTP/1.1\r\nHost: weft\r\nConnection: Upgrade\r\nUpgrade: ${UPGRADE_NAME}\r\n\r\n`);
		stream.on("data", (chunk) => this.#hear(chunk));
		// The end of the stream says the same.
		stream.on("error", () => {});
		stream.on("close", () => this.#lose("lost"));
	}

	/** Throws the error that the resident has answered with. */
	call(method: string, params: JsonObject, signal: AbortSignal): Promise<Reply> {
		if (!this.#isOpen) return Promise.resolve({ kind: "lost" });
		const id = ++this.#next;
		const cancel = () => this.#send({ method: "notifications/cancelled", params: { requestId: id } });
		signal.addEventListener("abort", cancel, { once: true });
		return new Promise<Reply>((resolve, reject) => {
			this.#waiting.set(id, { resolve, reject });
			this.#send({ id, method, params });
			this.#heardAt = Date.now();
			this.#watch ??= setInterval(() => this.#look(), MAX_SILENCE_MS / 8);
		}).finally(() => signal.removeEventListener("abort", cancel));
	}

	close(): void {
		this.#stream.end();
		// Node keeps the process for a socket that is open; the resident needs no answer from here on.
		this.#stream.unref();
	}

	#send(message: object): void {
		if (this.#isOpen) this.#stream.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	}

	#look(): void {
		if (Date.now() - this.#heardAt > MAX_SILENCE_MS) this.#lose("hung");
	}

	#hear(chunk: Buffer): void {
		this.#heardAt = Date.now();
		for (const line of this.#lines.take(chunk)) {
			// Lines of HTTP, and the empty ones that say that the resident works.
			const message = line.kind === "line" && line.text.startsWith("{") ? parseObject(line.text) : undefined;
			if (message) this.#take(message);
		}
	}

	#take({ id, result, error }: JsonObject): void {
		const waiting = this.#waiting.get(Number(id));
		if (!waiting) return;
		this.#waiting.delete(Number(id));
		if (this.#waiting.size === 0) this.#rest();
		const fault = asObject(error);
		const name = asObject(fault?.["data"])?.["name"];
		if (fault) waiting.reject(new RpcError(Number(fault["code"]), asText(fault["message"]) ?? "", asText(name)));
		else waiting.resolve({ kind: "answered", result });
	}

	#rest(): void {
		clearInterval(this.#watch);
		this.#watch = undefined;
	}

	#lose(kind: "lost" | "hung"): void {
		this.#isOpen = false;
		this.#rest();
		for (const { resolve } of this.#waiting.values()) resolve({ kind });
		this.#waiting.clear();
		this.#stream.destroy();
	}
}
