/**
 * A local proxy between an agent and its provider. Everything passes untouched and streamed, with its headers. A request is held until it
 * is whole, so that a watch can read it. If anything fails on our side, the original bytes go out. The proxy stores nothing, and writes
 * no header anywhere.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { EngineError } from "../../base/error/engine-error.ts";
import { isSameText } from "../../base/hash/same-text.ts";
import { http } from "../../base/net/http.ts";
import { OwnAccountServer } from "../../base/net/own-account-server.ts";
import { ConnectionLimits } from "./connection-limits.ts";
import { Exchange } from "./exchange.ts";
import { isFromAgent } from "./headers.ts";
import { HeldBytes } from "./held-bytes.ts";
import { MIN_SECRET_CHARS, newSecret } from "./secret.ts";
import { MAX_HEADER_BYTES, Upstream } from "./upstream.ts";
import type { Watch } from "./watch.ts";

/** A port that another process listens on. It hands over each connection. */
export interface HandedConnections {
	readonly port: number;
	onConnection(listener: (socket: Socket) => void): void;
}

export interface StartProxyOptions {
	/** The provider's address, with a path or without. */
	readonly upstream: string;
	/** By default a free one. */
	readonly port?: number | undefined;
	/** In place of a port of our own. */
	readonly handed?: HandedConnections | undefined;
	/** By default one of this launch. */
	readonly secret?: string | undefined;
	/** Undefined: everything passes. */
	readonly watch?: Watch | undefined;
	readonly env?: NodeJS.ProcessEnv | undefined;
}

export interface RunningProxy {
	readonly port: number;
	/** `http://127.0.0.1:PORT/SECRET`: only for the agent. */
	readonly address: string;
	/** Resolves when each request is answered and its connection closed. No other one should come meanwhile. */
	drain(): Promise<void>;
	close(): Promise<void>;
}

/** Agents keep connections for their next request. A connection that we close first may lose that request. */
const KEEP_ALIVE_MS = 120_000;
const DRAIN_POLL_MS = 50;

export async function startProxy(options: StartProxyOptions): Promise<RunningProxy> {
	const { handed, secret = newSecret() } = options;
	if (secret.length < MIN_SECRET_CHARS || !/^[\w-]+$/.test(secret)) {
		throw new EngineError("usage", `WEFT_PROXY_SECRET needs ${MIN_SECRET_CHARS} letters and digits or more.`);
	}
	const upstream = new Upstream(options.upstream, options.env);
	const server = http.createServer({ maxHeaderSize: MAX_HEADER_BYTES });
	server.requestTimeout = 0;
	server.keepAliveTimeout = KEEP_ALIVE_MS;
	const limits = new ConnectionLimits();
	const held = new HeldBytes();
	let port = 0;
	server.on("connection", (socket: Socket) => limits.add(socket));
	server.on("request", (request: IncomingMessage, response: ServerResponse) => {
		const path = pathBehind(request.url ?? "/", secret);
		if (path === undefined || !isFromAgent(request.headers, port) || !limits.admit(request.socket)) {
			refuse(response);
			return;
		}
		const { socket } = request;
		response.once("close", () => limits.release(socket));
		request.url = path;
		new Exchange(request, response, upstream, options.watch, held).run();
	});
	// Codex tries a websocket first, and uses HTTP at once after this status.
	server.on("upgrade", (_request: IncomingMessage, socket: Duplex) => {
		socket.on("error", () => {});
		socket.end("HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
	});
	server.on("clientError", (_error, socket: Duplex) => {
		if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
	});
	const accept = (socket: Socket) => {
		server.emit("connection", socket);
		socket.resume();
	};
	let door: OwnAccountServer | undefined;
	if (handed) {
		port = handed.port;
		handed.onConnection(accept);
	} else {
		// Others can read the address in an agent's arguments.
		door = new OwnAccountServer(accept);
		port = await listen(door, options.port ?? 0);
	}
	return {
		port,
		address: `http://127.0.0.1:${port}/${secret}`,
		drain: async () => {
			for (; !limits.isEmpty; await pause(DRAIN_POLL_MS)) limits.closeIdle();
		},
		close: async () => {
			door?.close();
			server.close();
			limits.closeAll();
			server.closeAllConnections();
			upstream.close();
			// Deferred taps read answers that have just passed.
			await nextTurn();
		},
	};
}

/** The path that the agent means. Undefined: the address does not begin with the secret. */
function pathBehind(url: string, secret: string): string | undefined {
	const [, given = "", path = ""] = /^\/([^/?]*)(.*)$/s.exec(url) ?? [];
	if (!isSameText(given, secret)) return undefined;
	return path.startsWith("/") ? path : `/${path}`;
}

async function listen(door: OwnAccountServer, port: number): Promise<number> {
	try {
		return await door.listen(port);
	} catch (cause) {
		const { code } = cause as NodeJS.ErrnoException;
		const why = code === "EADDRINUSE" ? "is in use. Name another one, or none" : `cannot be opened: ${code}`;
		throw new EngineError("usage", `Port ${port} ${why}.`, { cause });
	}
}

function refuse(response: ServerResponse): void {
	response.writeHead(403, { "content-type": "text/plain", connection: "close" });
	response.end("This is weft's proxy. It answers the agent that has its whole address, and no page in a browser.\n");
	// The body of a refused request is not read.
	response.once("finish", () => response.socket?.destroySoon());
}
