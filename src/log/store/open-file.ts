/**
 * Is the log's file still the one that was opened? SQLite keeps writing into a deleted file without an error, and all of it
 * would be lost.
 */
import { dirname } from "node:path";
import { EngineError } from "../../base/error/engine-error.ts";
import { inodeOf } from "../../base/file/inode.ts";

/** Appends within this time check once: a file that is deleted just after a check is no better off. */
const CHECK_EVERY_MS = 5;

export class OpenFile {
	readonly #path: string;
	/** Undefined: the system has none. */
	readonly #inode: bigint | undefined;
	#checkedAt = Number.NEGATIVE_INFINITY;

	constructor(path: string) {
		this.#path = path;
		this.#inode = inodeOf(path);
	}

	/** True: it was deleted, or another file is in its place. */
	get isReplaced(): boolean {
		return this.#inode !== undefined && inodeOf(this.#path) !== this.#inode;
	}

	refuseReplaced(): void {
		const now = performance.now();
		if (this.#inode === undefined || now - this.#checkedAt < CHECK_EVERY_MS) return;
		if (!this.isReplaced) {
			this.#checkedAt = now;
			return;
		}
		throw new EngineError(
			"deleted",
			`The log in ${dirname(this.#path)} was deleted or replaced while it was in use. Nothing more is written to it. Restart the session: weft then starts a new log with everything in the session.`,
		);
	}
}
