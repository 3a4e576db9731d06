/**
 * The resident of a project: one process that answers the hooks of all agents there, so that no hook has to start weft. A lease
 * makes it the only one; the system drops the lease when the process dies. The socket appears under its name only when it
 * listens. The resident ends when no hook has come for a while, when its program has changed, or when its socket is gone.
 * A client that gets no whole answer lets the hook's own process answer.
 */
import { chmodSync, lstatSync, renameSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "../../base/json/read.ts";
import { http } from "../../base/net/http.ts";
import { takeLease } from "../../base/sqlite/lease.ts";
import { MAX_MESSAGE_BYTES } from "../live/agent-messages.ts";
import { inFolder, isPrivate, type ResidentAddress } from "./address.ts";
import {
	type AgentCalls,
	BEAT_MS,
	PIPE_HEADER,
	PIPE_NAME,
	PROXY_NAME,
	RELAY_NAME,
	UPGRADE_NAME,
} from "./call-lines.ts";
import { ANSWER_STATUS, type AnswerKind, type HookRequest, readHookRequest } from "./hook-request.ts";
import { serveCalls } from "./served-calls.ts";
import { type OpenProxy, ServedProxies } from "./served-proxies.ts";
import { serveRelay } from "./served-relay.ts";

export interface ResidentAnswer {
	readonly kind: AnswerKind;
	/** For the hook's standard output. */
	readonly text?: string | undefined;
}

export interface ResidentOptions {
	readonly address: ResidentAddress;
	readonly answer: (request: HookRequest) => Promise<ResidentAnswer>;
	/** Answers the calls of a process that stays connected. Undefined: it must answer by itself. */
	readonly connect?: ((process: JsonObject) => Promise<AgentCalls | undefined>) | undefined;
	/** Runs the proxy of a process that listens for it. Undefined: it must run its own. */
	readonly openProxy?: ((process: HookRequest) => Promise<OpenProxy | undefined>) | undefined;
	/** False: the program on disk is another one by now. */
	readonly isCurrent: () => boolean;
	/** How long it stays after the last hook. */
	readonly idleMs: number;
	/** How long clients may take to send and to read once it ends. */
	readonly graceMs?: number | undefined;
	readonly signal?: AbortSignal | undefined;
}

/** An environment and arguments beside the largest message. */
const MAX_REQUEST_BYTES = MAX_MESSAGE_BYTES + 4 * 1024 * 1024;
/** A resident that ends may still answer its last hooks. */
const MAX_LEASE_WAIT_MS = 3_000;
const LEASE_POLL_MS = 20;
const MAX_CHECK_MS = 10_000;
/** Longer than any agent waits for a hook. */
const MAX_GRACE_MS = 60_000;

/** Resolves when the resident has ended. False: another process is the resident. */
export async function serveResident(options: ResidentOptions): Promise<boolean> {
	if (!isPrivate(options.address.folder)) return false;
	using lease = await waitForLease(options.address);
	if (!lease) return false;
	await new Resident(options).serve();
	return true;
}

async function waitForLease({ folder, lease, socket }: ResidentAddress): Promise<Disposable | undefined> {
	const until = Date.now() + MAX_LEASE_WAIT_MS;
	for (;;) {
		const taken = takeLease(lease);
		// A socket beside a taken lease belongs to a resident that serves.
		if (taken || inodeOf(join(folder, socket)) !== undefined || Date.now() > until) return taken;
		await pause(LEASE_POLL_MS);
	}
}

class Resident {
	readonly #options: ResidentOptions;
	readonly #socket: string;
	readonly #server = http.createServer((request, response) => void this.#take(request, response));
	readonly #ended = Promise.withResolvers<void>();
	readonly #ending = new AbortController();
	readonly #proxies: ServedProxies;
	#inode: bigint | undefined;
	#running = 0;
	#lastUse = Date.now();
	#isEnding = false;

	constructor(options: ResidentOptions) {
		this.#options = options;
		this.#server.on("upgrade", (request, stream, first) => {
			// The client does not wait before it sends its first call.
			stream.unshift(first);
			if (request.headers.upgrade === PIPE_NAME) this.#takePipe(request, stream);
			else void this.#serveCalls(request, stream);
		});
		const { openProxy = async () => undefined, graceMs = MAX_GRACE_MS } = options;
		this.#proxies = new ServedProxies({ open: openProxy, ending: this.#ending.signal, graceMs });
		this.#socket = join(options.address.folder, options.address.socket);
	}

	async serve(): Promise<void> {
		const { idleMs, signal } = this.#options;
		await this.#listen();
		const check = setInterval(() => this.#check(), Math.min(idleMs, MAX_CHECK_MS));
		const onAbort = () => this.#end();
		signal?.addEventListener("abort", onAbort);
		if (signal?.aborted) onAbort();
		await this.#ended.promise;
		signal?.removeEventListener("abort", onAbort);
		clearInterval(check);
	}

	/** Only the holder of the lease comes here, so a socket that is there belongs to a dead process. */
	async #listen(): Promise<void> {
		const { folder, socket } = this.#options.address;
		const fresh = join(folder, `${socket}.new`);
		rmSync(fresh, { force: true });
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		this.#server.once("error", reject);
		inFolder(folder, () => this.#server.listen(`${socket}.new`, resolve));
		await promise;
		chmodSync(fresh, 0o600);
		this.#inode = inodeOf(fresh);
		rmSync(this.#options.address.hung, { force: true });
		renameSync(fresh, this.#socket);
	}

	#check(): void {
		// A client may have waited too long for an answer that came.
		rmSync(this.#options.address.hung, { force: true });
		const { idleMs, isCurrent } = this.#options;
		const isIdle = this.#running === 0 && Date.now() - this.#lastUse >= idleMs;
		if (isIdle || inodeOf(this.#socket) !== this.#inode || !isCurrent()) this.#end();
	}

	/** New clients find no socket. Hooks that are being answered are answered. */
	#end(): void {
		if (this.#isEnding) return;
		this.#isEnding = true;
		this.#ending.abort();
		if (inodeOf(this.#socket) === this.#inode) rmSync(this.#socket, { force: true });
		this.#server.close(() => this.#ended.resolve());
		// A client that neither reads nor goes would keep the lease, and no other process could be the resident.
		setTimeout(() => this.#server.closeAllConnections(), this.#options.graceMs ?? MAX_GRACE_MS).unref();
	}

	/** A process that is connected keeps the resident. */
	async #serveCalls({ headers }: IncomingMessage, stream: Duplex): Promise<void> {
		this.#running++;
		stream.on("error", () => {});
		try {
			const { isCurrent } = this.#options;
			const serve = this.#serviceOf(headers.upgrade);
			if (!serve || this.#isEnding || !isCurrent()) return;
			stream.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${headers.upgrade}\r\n\r\n`);
			await serve(stream);
		} catch {
			// The process on the other end answers by itself.
		} finally {
			if (!stream.writableEnded) stream.destroy();
			this.#running--;
			this.#lastUse = Date.now();
			if (!this.#options.isCurrent()) this.#end();
		}
	}

	#serviceOf(name: string | undefined): ((stream: Duplex) => Promise<void>) | undefined {
		const { connect: open } = this.#options;
		if (name === PROXY_NAME) return (stream) => this.#proxies.serve(stream);
		const serve = name === UPGRADE_NAME ? serveCalls : name === RELAY_NAME ? serveRelay : undefined;
		return open && serve && ((stream) => serve(stream, { open, ending: this.#ending.signal }));
	}

	/** The process that keeps the proxy keeps the resident. */
	#takePipe({ headers }: IncomingMessage, stream: Duplex): void {
		stream.on("error", () => {});
		if (!this.#proxies.take(String(headers[PIPE_HEADER]), stream as Socket)) stream.destroy();
	}

	async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
		this.#running++;
		// The client may be killed before it has its answer.
		response.on("error", () => {});
		// A client that hears nothing takes the resident for hung.
		const beat = setInterval(() => response.writeProcessing(), BEAT_MS);
		try {
			const { kind, text = "" } = await this.#answer(request);
			const body = Buffer.from(text);
			response.writeHead(ANSWER_STATUS[kind], { "content-length": body.length, connection: "close" });
			response.end(body);
			if (kind === "outdated") this.#end();
		} catch {
			// No answer: the hook's own process answers.
			response.destroy();
		} finally {
			clearInterval(beat);
			this.#running--;
			this.#lastUse = Date.now();
		}
	}

	async #answer(request: IncomingMessage): Promise<ResidentAnswer> {
		if (!this.#options.isCurrent()) return { kind: "outdated" };
		const chunks: Buffer[] = [];
		let bytes = 0;
		for await (const chunk of request) {
			bytes += (chunk as Buffer).length;
			if (bytes <= MAX_REQUEST_BYTES) chunks.push(chunk as Buffer);
		}
		if (bytes > MAX_REQUEST_BYTES) return { kind: "tooLarge" };
		const hook = readHookRequest(Buffer.concat(chunks));
		return hook && hook.input.length <= MAX_MESSAGE_BYTES ? this.#options.answer(hook) : { kind: "unreadable" };
	}
}

function inodeOf(path: string): bigint | undefined {
	return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
