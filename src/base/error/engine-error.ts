/** What callers branch on. A new code is a new promise: hosts and the command line read it. */
export type ErrorCode =
	| "async-transaction"
	| "bad-config"
	| "bad-event"
	| "bad-pattern"
	| "closed"
	| "damaged"
	| "deleted"
	| "disk-full"
	| "foreign-file"
	| "io-error"
	| "locked"
	| "newer-schema"
	| "not-found"
	| "not-shipped"
	| "read-only"
	| "refused"
	| "too-many-files"
	| "unknown-format"
	| "usage";

/** The one error we throw on purpose. The message says what to do; `cause` holds what the system said. */
export class EngineError extends Error {
	readonly code: ErrorCode;

	constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
		super(message, options);
		this.name = "EngineError";
		this.code = code;
	}
}
