/**
 * One request of an agent, and its answer. The proxy holds the end of a request until the watch has decided, and passes the
 * bytes of an answer to the agent before the tap reads them, unless the tap may change them.
 */
import type http from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { DeferredTap } from "./deferred-tap.ts";
import { EarlyRequest } from "./early-request.ts";
import { passedHeaders } from "./headers.ts";
import { HeldBody } from "./held-body.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { Upstream } from "./upstream.ts";
import type { Decision, Tap, Visit, Watch } from "./watch.ts";

/** A shorter request comes in one piece. */
const MIN_AHEAD_BYTES = 64 * 1024;

const EMPTY: Buffer = Buffer.alloc(0);
const PASS: Decision = { kind: "pass" };

/** How the headers to the provider differ from those that came. */
interface Sending {
	/** True: a tap reads the answer, so the provider must not compress it. */
	readonly isTapped: boolean;
	/** For bytes that replace the body, or that came without their length. */
	readonly length?: number | undefined;
	readonly isReplaced?: boolean | undefined;
}

const AS_IT_CAME: Sending = { isTapped: false };
const TAPPED: Sending = { isTapped: true };

type OnError = (error: NodeJS.ErrnoException, wasKept: boolean) => void;

export class Exchange {
	readonly #request: IncomingMessage;
	readonly #response: ServerResponse;
	readonly #upstream: Upstream;
	readonly #watch: Watch | undefined;
	readonly #held: HeldBytes;
	/** What this request takes of the bytes that all may hold. */
	#taken = 0;
	#body = new HeldBody();
	#asked: http.ClientRequest | undefined;
	#tap: Tap | undefined;

	constructor(
		request: IncomingMessage,
		response: ServerResponse,
		upstream: Upstream,
		watch: Watch | undefined,
		held: HeldBytes,
	) {
		this.#request = request;
		this.#response = response;
		this.#upstream = upstream;
		this.#watch = watch;
		this.#held = held;
	}

	run(): void {
		const { method = "GET", url: path = "/", headers } = this.#request;
		// The agent is gone and needs no answer.
		this.#response.on("close", () => {
			// A provider that has answered early does not wait for the rest of the request.
			if (!this.#response.writableFinished || !this.#request.complete) this.#asked?.destroy();
			this.#release();
		});
		this.#response.on("error", ignore);
		this.#request.on("error", ignore);
		const visit = this.#watch && this.#safely("meet", () => this.#watch?.meet({ method, path, headers }));
		if (visit === undefined) this.#request.pipe(this.#ask(AS_IT_CAME));
		else this.#hold(visit, Number(headers["content-length"] ?? -1));
	}

	/** `length`: by the headers; -1: they do not say. */
	#hold(visit: Visit, length: number): void {
		const early = visit.wanted === "ahead" && length > MIN_AHEAD_BYTES ? this.#askEarly() : undefined;
		let isWhole = false;
		const take = (chunk: Buffer) => {
			this.#body.add(chunk);
			isWhole = this.#body.bytes === length;
			if (!isWhole) early?.write(chunk);
			if (!this.#holdMore(chunk.length)) {
				this.#request.off("data", take).off("end", end);
				this.#passTheRest(early, isWhole);
				return;
			}
			if (visit.take) this.#safely("take", () => visit.take?.(chunk));
			if (isWhole) this.#decide(visit, early);
		};
		const end = () => {
			if (!isWhole) this.#decide(visit, early);
		};
		this.#request.on("data", take).on("end", end);
	}

	/** A request that leaves while it comes. It has no end until the decision, so the provider does not act on it. */
	#askEarly(): EarlyRequest {
		const early = new EarlyRequest((onError) => this.#ask(TAPPED, onError));
		early.onDrop = (error) => this.#drop(error);
		return early;
	}

	#passTheRest(early: EarlyRequest | undefined, isWhole: boolean): void {
		if (early && !early.isAlive) {
			early.drop();
			this.#request.resume();
			return;
		}
		const asked = early?.take() ?? this.#ask(AS_IT_CAME);
		// Parts that have left are not sent again: all of them, or all but the newest of a whole request.
		const { parts } = this.#body;
		for (const part of early ? parts.slice(isWhole ? -1 : parts.length) : parts) asked.write(part);
		this.#body = new HeldBody();
		this.#release();
		this.#request.pipe(asked);
	}

	#holdMore(bytes: number): boolean {
		const isTaken = this.#held.take(bytes, this.#taken);
		if (isTaken) this.#taken += bytes;
		return isTaken;
	}

	#release(): void {
		this.#held.release(this.#taken);
		this.#taken = 0;
	}

	#decide(visit: Visit, early: EarlyRequest | undefined): void {
		const newest = this.#body.parts.at(-1) ?? EMPTY;
		const act = (decision: Decision) => this.#act(decision, newest, early);
		const failed = (error: unknown) => {
			this.#fail("decide", error);
			return PASS;
		};
		let decision: Decision | Promise<Decision>;
		try {
			decision = visit.decide(this.#body);
		} catch (error) {
			decision = failed(error);
		}
		if (decision instanceof Promise) void decision.catch(failed).then(act);
		else act(decision);
	}

	#act(decision: Decision, newest: Buffer, early: EarlyRequest | undefined): void {
		// The agent went away, or the provider has answered before it had the whole request.
		if (this.#response.destroyed || this.#response.headersSent) {
			if (decision.kind !== "answer") this.#safely("broken", () => decision.tap?.broken());
			if (!this.#response.destroyed) early?.take().end(newest);
			return;
		}
		if (decision.kind === "answer") {
			early?.abandon();
			this.#response.writeHead(200, { "content-type": decision.type, "cache-control": "no-cache" });
			this.#response.end(decision.body);
			return;
		}
		const { tap } = decision;
		this.#tap = tap && !tap.changes ? new DeferredTap(tap, (error) => this.#fail("tap", error)) : tap;
		if (decision.kind === "pass" && early?.isAlive) {
			early.finish(newest, () => this.#sendWhole(decision, false));
			return;
		}
		early?.abandon();
		this.#sendWhole(decision, true);
	}

	/** `isFirst`: if the provider has just closed a kept connection, the request is tried once more. */
	#sendWhole(decision: Exclude<Decision, { kind: "answer" }>, isFirst: boolean): void {
		const isReplaced = decision.kind === "replace";
		const body = isReplaced ? decision.body : this.#body.whole();
		const hasLength = !isReplaced && this.#request.headers["content-length"] !== undefined;
		const sending = { isTapped: decision.tap !== undefined, isReplaced, length: hasLength ? undefined : body.length };
		const asked = this.#ask(sending, (error, wasKept) => {
			const isStale = isFirst && wasKept && error.code === "ECONNRESET" && !this.#response.destroyed;
			if (isStale) this.#sendWhole(decision, false);
			else this.#drop(error);
		});
		asked.end(body);
	}

	#ask({ isTapped, length, isReplaced }: Sending, onError: OnError = (error) => this.#drop(error)): http.ClientRequest {
		const { method = "GET", url = "/" } = this.#request;
		const without = new Set(["host"]);
		const given = ["host", this.#upstream.host];
		if (isTapped) {
			without.add("accept-encoding");
			given.push("accept-encoding", "identity");
		}
		if (length !== undefined) {
			without.add("content-length");
			given.push("content-length", String(length));
		}
		if (isReplaced) without.add("content-encoding");
		// Without this header Node sends the body of a GET or a DELETE without any frame.
		const isInParts = length === undefined && this.#request.headers["transfer-encoding"] !== undefined;
		if (isInParts) given.push("transfer-encoding", "chunked");
		const asked = this.#upstream.ask(method, url, passedHeaders(this.#request, without, given));
		this.#asked = asked;
		let answer: IncomingMessage | undefined;
		asked.on("response", (given) => {
			answer = given;
			try {
				this.#pass(given);
			} catch (error) {
				// Node reads answers that it refuses to write.
				this.#fail("pass", error);
				given.destroy();
				this.#drop(error as NodeJS.ErrnoException);
			}
		});
		asked.on("error", (error: NodeJS.ErrnoException) => {
			if (!answer) onError(error, asked.reusedSocket);
			// Stray bytes after a whole answer do no harm.
			else if (!answer.complete) this.#broken();
		});
		return asked;
	}

	#pass(answer: IncomingMessage): void {
		const response = this.#response;
		const { statusCode = 502, statusMessage } = answer;
		const tap = this.#tap;
		const phrase = statusMessage !== undefined && NO_PHRASE.test(statusMessage) ? undefined : statusMessage;
		response.writeHead(statusCode, phrase, passedHeaders(answer, tap?.changes ? LENGTH : undefined));
		// Together with the first bytes, if they are here already.
		setImmediate(() => response.flushHeaders());
		// An answer that breaks off must not look whole, so that the agent asks again.
		answer.on("aborted", () => this.#broken());
		answer.on("error", () => this.#broken());
		if (!tap) {
			answer.pipe(response);
			return;
		}
		this.#safely("start", () => tap.start(statusCode, answer.headers));
		const write = (passed: Buffer): boolean => passed.length === 0 || response.destroyed || response.write(passed);
		let waiting: Promise<void> | undefined;
		const wait = async (passed: Promise<Buffer>, chunk: Buffer) => {
			answer.pause();
			const isFree = write(await passed.catch((error: unknown) => this.#tapFailed(tap, error, chunk)));
			waiting = undefined;
			if (isFree) answer.resume();
		};
		answer.on("data", (chunk: Buffer) => {
			const passed = this.#tapped(() => tap.pass(chunk), chunk);
			if (passed instanceof Promise) waiting = wait(passed, chunk);
			else if (!write(passed)) answer.pause();
		});
		response.on("drain", () => {
			if (!waiting) answer.resume();
		});
		const end = () => response.end(this.#tapped(() => tap.end(), EMPTY));
		answer.on("end", () => {
			if (waiting) void waiting.then(end);
			else end();
		});
	}

	/** A tap that fails is not called again: the bytes that it held and the new ones pass as they came. */
	#tapped<Passed extends Buffer | Promise<Buffer>>(pass: () => Passed, chunk: Buffer): Passed | Buffer {
		const tap = this.#tap;
		if (!tap) return chunk;
		try {
			return pass();
		} catch (error) {
			return this.#tapFailed(tap, error, chunk);
		}
	}

	#tapFailed(tap: Tap, error: unknown, chunk: Buffer): Buffer {
		this.#tap = undefined;
		this.#fail("tap", error);
		return Buffer.concat([tap.held, chunk]);
	}

	#broken(): void {
		this.#forgetTap();
		this.#response.destroy();
	}

	#forgetTap(): void {
		this.#safely("broken", () => this.#tap?.broken());
		this.#tap = undefined;
	}

	/** The provider cannot be reached. Agents try again after this answer. */
	#drop(error: NodeJS.ErrnoException): void {
		this.#forgetTap();
		const response = this.#response;
		if (response.destroyed || response.headersSent) {
			response.destroy();
			return;
		}
		const message = `weft's proxy cannot reach ${this.#upstream.host} (${error.code ?? "unknown"}).`;
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
			// There is nowhere left to report it.
		}
	}
}

/** Characters that Node does not send in a status message. */
const NO_PHRASE = /[^\t\x20-\x7e\x80-\xff]/;
const LENGTH: ReadonlySet<string> = new Set(["content-length"]);

function ignore(): void {}
