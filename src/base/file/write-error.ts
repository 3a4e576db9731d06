import { EngineError } from "../error/engine-error.ts";

/** Turns a failed write into an error whose message says what to do. */
export function writeError(cause: unknown, path: string): EngineError {
	const { code = "", message = String(cause) } = (cause ?? {}) as { readonly code?: string; readonly message?: string };
	switch (code) {
		case "ENOSPC":
		case "EDQUOT":
			return new EngineError(
				"disk-full",
				`No space left for ${path}. What is there of it is not whole. Free some space, remove it and try again.`,
				{ cause },
			);
		case "EFBIG":
			return new EngineError(
				"disk-full",
				`${path} would be larger than files may be here. What is there of it is not whole. Choose another disk, or raise the limit (ulimit -f).`,
				{ cause },
			);
		default:
			return new EngineError("read-only", `${path} could not be written: ${message}.`, { cause });
	}
}
