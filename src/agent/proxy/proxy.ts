/**
 * A local proxy between an agent and its provider. Everything passes untouched and streamed, with its headers. A request is held until it
 * is whole, so that a watch can read it. If anything fails on our side, the original bytes go out. The proxy stores nothing, and writes
 * no header anywhere.
 */
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { EngineError } from "../../base/error/engine-error.ts";
import { Exchange } from "./exchange.ts";
import { isFromAgent } from "./headers.ts";
import { MAX_HEADER_BYTES, Upstream } from "./upstream.ts";
import type { Watch } from "./watch.ts";

export interface StartProxyOptions {
	/** The provider's address, with a path or without. */
	readonly upstream: string;
	/** By default a free one. */
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

/** Agents keep connections for their next request. A connection that we close first may lose that request. */
const KEEP_ALIVE_MS = 120_000;

export async function startProxy(options: StartProxyOptions): Promise<RunningProxy> {
	const upstream = new Upstream(options.upstream, options.env);
	const server = http.createServer({ maxHeaderSize: MAX_HEADER_BYTES });
	server.requestTimeout = 0;
	server.keepAliveTimeout = KEEP_ALIVE_MS;
	let port = 0;
	server.on("request", (request: IncomingMessage, response: ServerResponse) => {
		if (isFromAgent(request.headers, port)) new Exchange(request, response, upstream, options.watch).run();
		else refuse(response);
	});
	// Codex tries a websocket first, and uses HTTP at once after this status.
	server.on("upgrade", (_request: IncomingMessage, socket: Duplex) => {
		socket.on("error", () => {});
		socket.end("HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
	});
	server.on("clientError", (_error, socket: Duplex) => {
		if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
	});
	await listen(server, options.port ?? 0);
	port = (server.address() as AddressInfo).port;
	return {
		port,
		origin: `http://127.0.0.1:${port}`,
		close: async () => {
			await new Promise<void>((done) => {
				server.close(() => done());
				server.closeAllConnections();
				upstream.close();
			});
			// Deferred taps read answers that have just passed.
			await nextTurn();
		},
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
