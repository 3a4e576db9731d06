import { EngineError, type ErrorCode } from "../../base/error/engine-error.ts";

export const EXIT = { ok: 0, failed: 1, usage: 2, notFound: 3, refused: 4 } as const;

/** One of `EXIT`, or the status of a program that ran in the foreground. */
export type ExitCode = number;

const BY_CODE: Partial<Record<ErrorCode, ExitCode>> = {
	usage: EXIT.usage,
	"bad-config": EXIT.usage,
	"bad-pattern": EXIT.usage,
	"not-found": EXIT.notFound,
	refused: EXIT.refused,
	locked: EXIT.refused,
	"foreign-file": EXIT.refused,
	"newer-schema": EXIT.refused,
};

export function exitCodeOf(error: unknown): ExitCode {
	return error instanceof EngineError ? (BY_CODE[error.code] ?? EXIT.failed) : EXIT.failed;
}
