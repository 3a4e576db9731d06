/**
 * One request of an agent, and its answer. The end of a request is held until the watch has decided; the bytes of an answer go to the
 * agent before anybody looks at them, unless the look may change them.
 */
import type http from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { EarlyRequest } from "./early-request.ts";
import { passedHeaders } from "./headers.ts";
import { HeldBody } from "./held-body.ts";
import { LaterLook } from "./later-look.ts";
import type { Upstream } from "./upstream.ts";
import type { Decision, Tap, Visit, Watch } from "./watch.ts";

/** A request that is larger passes without a look. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** A shorter one comes in one piece. */
const MIN_AHEAD_BYTES = 64 * 1024;

const EMPTY: Buffer = Buffer.alloc(0);
const PASS: Decision = { kind: "pass" };

/** How the headers of a request differ from those that came. */
interface Sending {
	/** True: the answer is looked at, so it must not be compressed on its way back. */
	readonly isLookedAt: boolean;
	/** Of other bytes than came, or of ones that came without their length. */
	readonly length?: number | undefined;
	readonly isReplaced?: boolean | undefined;
}

const AS_IT_CAME: Sending = { isLookedAt: false };
const LOOKED_AT: Sending = { isLookedAt: true };

type OnError = (error: NodeJS.ErrnoException, wasKept: boolean) => void;

export class Exchange {
	readonly #request: IncomingMessage;
	readonly #response: ServerResponse;
	readonly #upstream: Upstream;
	readonly #watch: Watch | undefined;
	#body = new HeldBody();
	#asked: http.ClientRequest | undefined;
	#tap: Tap | undefined;

	constructor(request: IncomingMessage, response: ServerResponse, upstream: Upstream, watch: Watch | undefined) {
		this.#request = request;
		this.#response = response;
		this.#upstream = upstream;
		this.#watch = watch;
	}

	run(): void {
		const { method = "GET", url: path = "/", headers } = this.#request;
		// Whoever goes away does not wait for an answer.
		this.#response.on("close", () => {
			// Nor does the provider wait for the rest of a request that it has answered already.
			if (!this.#response.writableFinished || !this.#request.complete) this.#asked?.destroy();
		});
		this.#response.on("error", ignore);
		this.#request.on("error", ignore);
		const visit = this.#watch && this.#safely("meet", () => this.#watch?.meet({ method, path, headers }));
		if (visit === undefined) this.#request.pipe(this.#ask(AS_IT_CAME));
		else this.#hold(visit, Number(headers["content-length"] ?? -1));
	}

	/** `length`: as the headers tell it; -1: they do not. */
	#hold(visit: Visit, length: number): void {
		const early = visit.wanted === "ahead" && length > MIN_AHEAD_BYTES ? this.#askEarly() : undefined;
		let isWhole = false;
		const take = (chunk: Buffer) => {
			this.#body.add(chunk);
			isWhole = this.#body.bytes === length;
			if (!isWhole) early?.write(chunk);
			if (this.#body.bytes > MAX_HELD_BYTES) {
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

	/** A request that leaves while it comes. Until it is decided it has no end, so nobody acts on it. */
	#askEarly(): EarlyRequest {
		const early = new EarlyRequest((onError) => this.#ask(LOOKED_AT, onError));
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
		// What has left is not sent again: of a whole one, all but the newest part.
		const { parts } = this.#body;
		for (const part of early ? parts.slice(isWhole ? -1 : parts.length) : parts) asked.write(part);
		this.#body = new HeldBody();
		this.#request.pipe(asked);
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
		// The agent went away, or the provider has answered before it had all of it.
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
		this.#tap = tap && !tap.changes ? new LaterLook(tap, (error) => this.#fail("tap", error)) : tap;
		if (decision.kind === "pass" && early?.isAlive) {
			early.finish(newest, () => this.#sendWhole(decision, false));
			return;
		}
		early?.abandon();
		this.#sendWhole(decision, true);
	}

	/** `isFirst`: a kept connection that the provider has just closed is tried once more. */
	#sendWhole(decision: Exclude<Decision, { kind: "answer" }>, isFirst: boolean): void {
		const isReplaced = decision.kind === "replace";
		const body = isReplaced ? decision.body : this.#body.whole();
		const hasLength = !isReplaced && this.#request.headers["content-length"] !== undefined;
		const sending = { isLookedAt: decision.tap !== undefined, isReplaced, length: hasLength ? undefined : body.length };
		const asked = this.#ask(sending, (error, wasKept) => {
			const isStale = isFirst && wasKept && error.code === "ECONNRESET" && !this.#response.destroyed;
			if (isStale) this.#sendWhole(decision, false);
			else this.#drop(error);
		});
		asked.end(body);
	}

	#ask(
		{ isLookedAt, length, isReplaced }: Sending,
		onError: OnError = (error) => this.#drop(error),
	): http.ClientRequest {
		const { method = "GET", url = "/" } = this.#request;
		const without = new Set(["host"]);
		const given = ["host", this.#upstream.host];
		if (isLookedAt) {
			without.add("accept-encoding");
			given.push("accept-encoding", "identity");
		}
		if (length !== undefined) {
			without.add("content-length");
			given.push("content-length", String(length));
		}
		if (isReplaced) without.add("content-encoding");
		// Of its own accord Node sends the body of a GET or a DELETE without any frame.
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
				// Node takes answers in that it does not give out.
				this.#fail("pass", error);
				given.destroy();
				this.#drop(error as NodeJS.ErrnoException);
			}
		});
		asked.on("error", (error: NodeJS.ErrnoException) => {
			if (!answer) onError(error, asked.reusedSocket);
			// Stray bytes after an answer do not take it back.
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
		// With the first bytes, where they are here already; else at once.
		setImmediate(() => response.flushHeaders());
		// An answer that breaks off must not look whole: the agent then asks again.
		answer.on("aborted", () => this.#broken());
		answer.on("error", () => this.#broken());
		if (!tap) {
			answer.pipe(response);
			return;
		}
		this.#safely("start", () => tap.start(statusCode, answer.headers));
		answer.on("data", (chunk: Buffer) => {
			const passed = this.#tapped(() => tap.pass(chunk), chunk);
			if (passed.length > 0 && !response.write(passed)) answer.pause();
		});
		response.on("drain", () => answer.resume());
		answer.on("end", () => response.end(this.#tapped(() => tap.end(), EMPTY)));
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
		this.#forgetTap();
		this.#response.destroy();
	}

	#forgetTap(): void {
		this.#safely("broken", () => this.#tap?.broken());
		this.#tap = undefined;
	}

	/** The provider cannot be reached: said as an answer that agents try again after. */
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
			// Nobody is left to be told.
		}
	}
}

/** What Node does not send beside a status. */
const NO_PHRASE = /[^\t\x20-\x7e\x80-\xff]/;
const LENGTH: ReadonlySet<string> = new Set(["content-length"]);

function ignore(): void {}
