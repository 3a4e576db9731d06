/**
 * A local proxy between an agent and its provider. Everything passes untouched, streamed, with its headers; what an agent
 * sends is held until it is whole, so that a watch can look at it. Whatever fails on our side, the original bytes go out.
 * It keeps nothing, and it writes no header anywhere.
 */
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { EngineError } from "../../error/engine-error.ts";
import { isFromAgent, passedHeaders } from "./headers.ts";
import type { Decision, SeenRequest, Tap, Watch } from "./watch.ts";

export interface ProxyOptions {
	/** Where requests go: the provider's address, with a path or without. */
	readonly upstream: string;
	/** By default one that is free. */
	readonly port?: number | undefined;
	/** Undefined: everything passes. */
	readonly watch?: Watch | undefined;
	readonly env?: NodeJS.ProcessEnv | undefined;
}

export interface RunningProxy {
	readonly port: number;
	/** `http://127.0.0.1:PORT` */
	readonly origin: string;
	close(): Promise<void>;
}

/** A request that is larger passes without a look. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;
/** Providers take more than Node does by default. */
const MOST_HEADER_BYTES = 256 * 1024;
/** A shorter one comes in one piece. */
const LEAST_AHEAD_BYTES = 64 * 1024;
/** Agents keep connections for their next request: who closes first may meet it on its way. */
const KEEP_ALIVE_MS = 120_000;

export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
	const upstream = new Upstream(options);
	const server = http.createServer({ maxHeaderSize: MOST_HEADER_BYTES });
	server.requestTimeout = 0;
	server.keepAliveTimeout = KEEP_ALIVE_MS;
	server.on("request", (request: IncomingMessage, response: ServerResponse) => {
		const { port } = server.address() as AddressInfo;
		if (isFromAgent(request.headers, port)) new Exchange(request, response, upstream, options.watch).run();
		else refuse(response);
	});
	// Codex tries a websocket first, and asks by HTTP at once when it is told so.
	server.on("upgrade", (_request: IncomingMessage, socket: Duplex) => {
		socket.on("error", () => {});
		socket.end("HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
	});
	server.on("clientError", (_error, socket: Duplex) => {
		if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
	});
	await listen(server, options.port ?? 0);
	const { port } = server.address() as AddressInfo;
	return {
		port,
		origin: `http://127.0.0.1:${port}`,
		close: () =>
			new Promise((done) => {
				server.close(() => done());
				server.closeAllConnections();
				upstream.close();
			}),
	};
}

function listen(server: http.Server, port: number): Promise<void> {
	return new Promise((done, fail) => {
		server.once("error", (cause: NodeJS.ErrnoException) => {
			const why =
				cause.code === "EADDRINUSE" ? "is in use. Name another one, or none" : `cannot be opened: ${cause.code}`;
			fail(new EngineError("usage", `Port ${port} ${why}.`, { cause }));
		});
		server.listen(port, "127.0.0.1", () => done());
	});
}

function refuse(response: ServerResponse): void {
	response.writeHead(403, { "content-type": "text/plain", connection: "close" });
	response.end("This is weft's proxy. It answers agents on this machine, not pages in a browser.\n");
}

class Upstream {
	readonly base: URL;
	readonly #agent: http.Agent | https.Agent;

	constructor({ upstream, env }: ProxyOptions) {
		this.base = parseUpstream(upstream);
		// `proxyEnv`: HTTPS_PROXY and NO_PROXY count, where this Node knows how.
		const how = { keepAlive: true, proxyEnv: env };
		this.#agent = this.base.protocol === "https:" ? new https.Agent(how) : new http.Agent(how);
	}

	ask(method: string, path: string, headers: readonly string[]): http.ClientRequest {
		const { protocol, hostname, port, pathname, host } = this.base;
		const prefix = pathname.replace(/\/$/, "");
		const given = {
			method,
			hostname: hostname.replace(/^\[|\]$/g, ""),
			port: port === "" ? undefined : Number(port),
			path: `${prefix}${path}`,
			headers: ["host", host, ...headers],
			agent: this.#agent,
			maxHeaderSize: MOST_HEADER_BYTES,
		};
		return protocol === "https:" ? https.request(given) : http.request(given);
	}

	close(): void {
		this.#agent.destroy();
	}
}

function parseUpstream(text: string): URL {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (url?.protocol === "http:" || url?.protocol === "https:") return url;
	throw new EngineError("usage", `'${text}' is not an address. Give one like https://api.anthropic.com.`);
}

/** One request and its answer. */
class Exchange {
	readonly #request: IncomingMessage;
	readonly #response: ServerResponse;
	readonly #upstream: Upstream;
	readonly #watch: Watch | undefined;
	#asked: http.ClientRequest | undefined;
	#tap: Tap | undefined;

	constructor(request: IncomingMessage, response: ServerResponse, upstream: Upstream, watch: Watch | undefined) {
		this.#request = request;
		this.#response = response;
		this.#upstream = upstream;
		this.#watch = watch;
	}

	run(): void {
		const { method = "GET", url = "/", headers } = this.#request;
		// Whoever goes away does not wait for an answer.
		this.#response.on("close", () => {
			if (!this.#response.writableFinished) this.#asked?.destroy();
		});
		this.#response.on("error", () => {});
		this.#request.on("error", () => {});
		const seen = { method, path: url, headers };
		const wanted = this.#safely("wants", () => this.#watch?.wants(seen));
		if (wanted === undefined) this.#request.pipe(this.#ask());
		else this.#hold(seen, wanted === "ahead" && Number(headers["content-length"] ?? 0) > LEAST_AHEAD_BYTES);
	}

	#hold(seen: Omit<SeenRequest, "body">, isAhead: boolean): void {
		const chunks: Buffer[] = [];
		let bytes = 0;
		const early = isAhead ? this.#askEarly() : undefined;
		const take = (chunk: Buffer) => {
			early?.write(chunks.at(-1));
			chunks.push(chunk);
			bytes += chunk.length;
			if (bytes <= MOST_HELD_BYTES) return;
			this.#request.off("data", take).off("end", end);
			const asked = early?.take() ?? this.#ask();
			for (const each of early ? chunks.slice(-1) : chunks) asked.write(each);
			this.#request.pipe(asked);
		};
		const end = () => void this.#decide({ ...seen, body: Buffer.concat(chunks, bytes) }, chunks.at(-1) ?? EMPTY, early);
		this.#request.on("data", take).on("end", end);
	}

	/** A request that leaves while it comes. Until it is decided it has no end, so nobody acts on it. */
	#askEarly(): EarlyRequest {
		const early = new EarlyRequest((onError) => this.#ask(["accept-encoding"], PLAIN, onError));
		early.onDrop = (error) => this.#drop(error);
		return early;
	}

	async #decide(seen: SeenRequest, newest: Buffer, early: EarlyRequest | undefined): Promise<void> {
		let decision: Decision = { kind: "pass" };
		try {
			decision = (await this.#watch?.decide(seen)) ?? decision;
		} catch (error) {
			this.#fail("decide", error);
		}
		// The agent went away, or the provider has answered before it had all of it.
		if (this.#response.destroyed) return;
		if (this.#response.headersSent) {
			early?.take().end(newest);
			return;
		}
		this.#tap = decision.kind === "answer" ? undefined : decision.tap;
		if (decision.kind === "pass" && early?.isAlive) {
			early.finish(newest, () => this.#sendWhole(seen.body, decision, false));
			return;
		}
		early?.abandon();
		if (decision.kind === "answer") {
			this.#response.writeHead(200, { "content-type": decision.type, "cache-control": "no-cache" });
			this.#response.end(decision.body);
			return;
		}
		this.#sendWhole(decision.kind === "replace" ? decision.body : seen.body, decision, true);
	}

	#sendWhole(body: Buffer, { kind, tap }: Exclude<Decision, { kind: "answer" }>, isFirst: boolean): void {
		// What is looked at must be readable: nothing is compressed on its way back.
		const without = [
			"content-length",
			...(tap ? ["accept-encoding"] : []),
			...(kind === "replace" ? ["content-encoding"] : []),
		];
		const added = ["content-length", String(body.length), ...(tap ? PLAIN : [])];
		this.#send(body, without, added, isFirst);
	}

	/** `isFirst`: a kept connection that the provider has just closed is tried once more. */
	#send(body: Buffer, without: readonly string[], added: readonly string[], isFirst: boolean): void {
		const asked = this.#ask(without, added, (error, wasKept) => {
			const isStale = isFirst && wasKept && error.code === "ECONNRESET" && !this.#response.destroyed;
			if (isStale) this.#send(body, without, added, false);
			else this.#drop(error);
		});
		asked.end(body);
	}

	#ask(
		without: readonly string[] = [],
		added: readonly string[] = [],
		onError: (error: NodeJS.ErrnoException, wasKept: boolean) => void = (error) => this.#drop(error),
	): http.ClientRequest {
		const { method = "GET", url = "/" } = this.#request;
		const headers = [...passedHeaders(this.#request, ["host", ...without]), ...added];
		const asked = this.#upstream.ask(method, url, headers);
		this.#asked = asked;
		let isAnswered = false;
		asked.on("response", (answer) => {
			isAnswered = true;
			this.#pass(answer);
		});
		asked.on("error", (error: NodeJS.ErrnoException) => {
			if (!isAnswered) onError(error, asked.reusedSocket);
			else this.#broken();
		});
		return asked;
	}

	#pass(answer: IncomingMessage): void {
		const response = this.#response;
		const { statusCode = 502, statusMessage } = answer;
		const tap = this.#tap;
		const changes = tap ? ["content-length"] : [];
		response.writeHead(statusCode, statusMessage, passedHeaders(answer, changes));
		// With the first bytes, where they are here already; else at once.
		setImmediate(() => response.flushHeaders());
		this.#safely("start", () => tap?.start(statusCode, answer.headers));
		// An answer that breaks off must not look whole: the agent then asks again.
		answer.on("aborted", () => this.#broken());
		answer.on("error", () => this.#broken());
		if (!tap) {
			answer.pipe(response);
			return;
		}
		answer.on("data", (chunk: Buffer) => {
			const passed = this.#tapped(() => tap.pass(chunk), chunk);
			if (passed.length > 0 && !response.write(passed)) answer.pause();
		});
		response.on("drain", () => answer.resume());
		answer.on("end", () => {
			const last = this.#tapped(() => tap.end(), EMPTY);
			response.end(last);
		});
	}

	/** A tap that fails is not asked again: what it held and what is new goes out as it came. */
	#tapped(pass: () => Buffer, chunk: Buffer): Buffer {
		const tap = this.#tap;
		if (!tap) return chunk;
		try {
			return pass();
		} catch (error) {
			this.#tap = undefined;
			this.#fail("tap", error);
			return Buffer.concat([tap.held, chunk]);
		}
	}

	#broken(): void {
		this.#safely("broken", () => this.#tap?.broken());
		this.#tap = undefined;
		this.#response.destroy();
	}

	/** The provider cannot be reached: said as an answer that agents try again after. */
	#drop(error: NodeJS.ErrnoException): void {
		this.#safely("broken", () => this.#tap?.broken());
		this.#tap = undefined;
		const response = this.#response;
		if (response.destroyed || response.headersSent) {
			response.destroy();
			return;
		}
		const message = `weft's proxy cannot reach ${this.#upstream.base.host} (${error.code ?? "unknown"}).`;
		response.writeHead(502, { "content-type": "application/json" });
		response.end(JSON.stringify({ type: "error", error: { type: "api_error", message } }));
	}

	#safely<Answer>(where: string, body: () => Answer): Answer | undefined {
		try {
			return body();
		} catch (error) {
			this.#fail(where, error);
			return undefined;
		}
	}

	#fail(where: string, error: unknown): void {
		try {
			this.#watch?.fail(where, error);
		} catch {
			// Nobody is left to be told.
		}
	}
}

/** A request whose first parts have left. */
class EarlyRequest {
	readonly #asked: http.ClientRequest;
	#isAbandoned = false;
	#failed: NodeJS.ErrnoException | undefined;
	#again: (() => void) | undefined;
	onDrop: (error: NodeJS.ErrnoException) => void = () => {};

	constructor(ask: (onError: (error: NodeJS.ErrnoException, wasKept: boolean) => void) => http.ClientRequest) {
		this.#asked = ask((error, wasKept) => {
			if (this.#isAbandoned) return;
			this.#failed = error;
			// Before it is decided nothing is lost: the whole of it is sent anew then.
			if (this.#again && wasKept && error.code === "ECONNRESET") this.#again();
			else if (this.#again) this.onDrop(error);
		});
	}

	get isAlive(): boolean {
		return this.#failed === undefined;
	}

	write(chunk: Buffer | undefined): void {
		if (chunk && this.isAlive) this.#asked.write(chunk);
	}

	/** `again`: sends the whole of it, where a kept connection was closed just then. */
	finish(last: Buffer, again: () => void): void {
		this.#again = again;
		this.#asked.end(last);
	}

	/** Whoever takes it sends the rest. */
	take(): http.ClientRequest {
		this.#again = () => this.onDrop(this.#failed!);
		return this.#asked;
	}

	abandon(): void {
		this.#isAbandoned = true;
		this.#asked.destroy();
	}
}

const EMPTY = Buffer.alloc(0);
const PLAIN = ["accept-encoding", "identity"];
