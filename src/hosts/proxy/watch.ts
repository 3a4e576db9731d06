/**
 * Who looks at what passes the proxy. A watch may answer a request itself, put other bytes in its place, or look at the
 * answer as it passes. Where it fails, or takes no interest, everything passes as it came.
 */
import type { IncomingHttpHeaders } from "node:http";

export interface SeenRequest {
	readonly method: string;
	/** With its query. */
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	/** As it came, compressed or not. */
	readonly body: Buffer;
}

export type Decision =
	/** `tap` looks at the answer. */
	| { readonly kind: "pass"; readonly tap?: Tap | undefined }
	| { readonly kind: "replace"; readonly body: Buffer; readonly tap?: Tap | undefined }
	| { readonly kind: "answer"; readonly type: string; readonly body: string };

/**
 * whole: nothing leaves before it is decided. ahead: a long one may leave as it comes, all but its end. Where it is then answered here,
 * the provider has got a part of a request that was broken off, which it does not act on.
 */
export type Wanted = "whole" | "ahead";

export interface Watch {
	/** How its body is wanted; undefined: not at all. */
	wants(request: Omit<SeenRequest, "body">): Wanted | undefined;
	decide(request: SeenRequest): Promise<Decision>;
	/** Something failed that nobody else tells of. */
	fail(where: string, error: unknown): void;
	/** Resolves when what passed so far is in the log. */
	settle?(): Promise<void>;
}

/** Sees an answer pass. What it holds back for a moment is in `held`, so that it is not lost when it fails. */
export interface Tap {
	readonly held: Buffer;
	start(status: number, headers: IncomingHttpHeaders): void;
	/** What is passed on for these bytes. */
	pass(chunk: Buffer): Buffer;
	/** The answer is whole: what is passed on last. */
	end(): Buffer;
	/** It broke off, or nobody waits for it any more. */
	broken(): void;
}
