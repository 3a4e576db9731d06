/** Callers branch on these. A new code is a new promise to every program that reads it. */
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
	| "message-too-large"
	| "newer-schema"
	| "not-found"
	| "not-shipped"
	| "read-only"
	| "refused"
	| "too-many-files"
	| "unknown-format"
	| "usage";

/** The one error that we throw on purpose. The message says what to do; `cause` holds the system's own error. */
export class EngineError extends Error {
	readonly code: ErrorCode;

	constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
		super(message, options);
		this.name = "EngineError";
		this.code = code;
	}
}
