/** Failures as the state holds them: plain JSON, bounded. */

export const FAILURE_FOLD_VERSION = 8;
export const MAX_OPEN = 200;
export const MAX_RESOLVED = 50;

/** One command of a line, and the folder it ran in. */
export interface CommandInFolder {
	readonly words: readonly string[];
	readonly cwd: string;
}

export interface Failure {
	/** `bash:<command>:<8 hex>`, from the run that showed it first. */
	readonly id: string;
	readonly hash: string;
	readonly tool: string | null;
	readonly command: string;
	readonly cwd: string;
	readonly unit: string | null;
	readonly file: string | null;
	readonly name: string | null;
	readonly class: string | null;
	readonly message: string;
	/** The run printed a few lines at most, so it may have been refused before it did anything. */
	readonly brief: boolean;
	readonly state: "open" | "resolved";
	/** Tests that the run which showed it last left out. */
	readonly skipped: number;
	/** Exit status of the run that showed it last. null: unknown. */
	readonly exit: number | null;
	/** Runs that showed it. */
	readonly attempts: number;
	/** Attempts with no change since the one before. */
	readonly repeats: number;
	/** How often it came back after being resolved. */
	readonly regressions: number;
	readonly flaky: boolean;
	readonly firstSeq: number;
	readonly firstTs: number;
	readonly lastSeq: number;
	readonly lastTs: number;
	/** Handle of the run that showed it last. */
	readonly lastHandle: string;
	readonly resolvedSeq: number | null;
	readonly resolvedTs: number | null;
	/** Handle of the run that resolved it. */
	readonly resolvedHandle: string | null;
	/** The newest green run that left this test out, if no run has shown it since. */
	readonly skippedSeq: number | null;
	/** A later error of the same unit: this one may be gone, or hidden behind that one. */
	readonly behind: string | null;
	/** The commands of its line, and those that have not passed since it was last seen. */
	readonly parts: readonly CommandInFolder[];
	readonly awaits: readonly CommandInFolder[];
	readonly history: readonly { readonly seq: number; readonly what: "opened" | "attempt" | "resolved" | "regressed" }[];
}

export interface FailureState {
	readonly version: number;
	/** Oldest first. */
	readonly open: readonly Failure[];
	/** Newest last. */
	readonly resolved: readonly Failure[];
	/** Seq of the newest change to a file, or of the newest command that may have made one. */
	readonly changedAt: number;
	readonly green: readonly { readonly command: string; readonly cwd: string; readonly seq: number }[];
	/** Open failures that were dropped because there were too many. */
	readonly dropped: number;
}

export const NO_FAILURES: FailureState = {
	version: FAILURE_FOLD_VERSION,
	open: [],
	resolved: [],
	changedAt: 0,
	green: [],
	dropped: 0,
};
