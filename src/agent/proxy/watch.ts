/**
 * Who looks at what passes the proxy. A watch may answer a request itself, put other bytes in its place, or look at the
 * answer as it passes. Where it fails, or takes no interest, everything passes as it came.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { HeldBody } from "./held-body.ts";

/** A request of which the headers have come. */
export interface MetRequest {
	readonly method: string;
	/** With its query. */
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
}

export type Decision =
	/** `tap` looks at the answer. */
	| { readonly kind: "pass"; readonly tap?: Tap | undefined }
	| { readonly kind: "replace"; readonly body: Buffer; readonly tap?: Tap | undefined }
	| { readonly kind: "answer"; readonly type: string; readonly body: string };

/** What a watch makes of one request. */
export interface Visit {
	/**
	 * whole: nothing leaves before it is decided. ahead: a long one may leave as it comes, all but its end. Where it is then answered
	 * here, the provider has got a part of a request that was broken off, which it does not act on.
	 */
	readonly wanted: "whole" | "ahead";
	/** Each part of the body, in order, before it is decided. */
	take?(chunk: Buffer): void;
	/** The body is whole, compressed or not. The end of the request waits for this. */
	decide(body: HeldBody): Decision | Promise<Decision>;
}

export interface Watch {
	/** Undefined: it passes without a look. */
	meet(request: MetRequest): Visit | undefined;
	/** Something failed that nobody else tells of. */
	fail(where: string, error: unknown): void;
	/** Resolves when what passed so far is in the log. */
	settle?(): Promise<void>;
}

/** Sees an answer pass. */
export interface Tap {
	/** False: it only looks, so the agent gets its bytes first. */
	readonly changes: boolean;
	/** What it holds back for a moment, so that it is not lost when the tap fails. */
	readonly held: Buffer;
	start(status: number, headers: IncomingHttpHeaders): void;
	/** What is passed on for these bytes. */
	pass(chunk: Buffer): Buffer;
	/** The answer is whole: what is passed on last. */
	end(): Buffer;
	/** It broke off, or nobody waits for it any more. */
	broken(): void;
}
