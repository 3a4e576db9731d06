/**
 * A watch sees the requests that pass the proxy. It may answer a request itself, replace its bytes, or read the answer as it passes. If it
 * fails, or is not interested, everything passes as it came.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { HeldBody } from "./held-body.ts";

/** A request whose headers have come. */
export interface MetRequest {
	readonly method: string;
	/** With its query. */
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
}

export type Decision =
	/** `tap` reads the answer. */
	| { readonly kind: "pass"; readonly tap?: Tap | undefined }
	| { readonly kind: "replace"; readonly body: Buffer; readonly tap?: Tap | undefined }
	| { readonly kind: "answer"; readonly type: string; readonly body: string };

/** A watch at one request. */
export interface Visit {
	/**
	 * whole: nothing leaves before the decision. ahead: a long request may leave as it comes, all but its end. If the watch then answers
	 * it, the provider has a part of a request that was broken off, and does not act on it.
	 */
	readonly wanted: "whole" | "ahead";
	/** Gets each part of the body, in order, before the decision. */
	take?(chunk: Buffer): void;
	/** Called when the body is whole, compressed or not. The end of the request waits for it. */
	decide(body: HeldBody): Decision | Promise<Decision>;
}

export interface Watch {
	/** Undefined: the request passes unseen. */
	meet(request: MetRequest): Visit | undefined;
	/** Reports a failure. */
	fail(where: string, error: unknown): void;
	/** Resolves when everything that has passed is in the log. */
	settle?(): Promise<void>;
}

/** Reads an answer as it passes. */
export interface Tap {
	/** False: it only reads, so the agent gets its bytes first. */
	readonly changes: boolean;
	/** Bytes that it holds back, which must not be lost when the tap fails. */
	readonly held: Buffer;
	start(status: number, headers: IncomingHttpHeaders): void;
	/** Returns the bytes to pass on for these. A promise: the rest of the answer waits for it. */
	pass(chunk: Buffer): Buffer | Promise<Buffer>;
	/** The answer is whole. Returns the last bytes to pass on. */
	end(): Buffer;
	/** The answer broke off, or the agent went away. */
	broken(): void;
}
