/**
 * Which log does a session go to? To the log of its own folder; `--project` decides for all. If the folder is gone, a session
 * that weft found itself still goes there, and a file that the user named goes to the current project. One log is open at a
 * time, because a user may have sessions of hundreds of projects.
 */
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Engine } from "../../engine.ts";
import { projectRoot } from "../../log/home.ts";
import type { Context } from "./context.ts";

export class ImportLogs {
	readonly #context: Context;
	readonly #onClose: (engine: Engine) => void;
	readonly #isFound: boolean;
	#open: Engine | undefined;

	constructor(context: Context, onClose: (engine: Engine) => void, { isFound = false }: { isFound?: boolean } = {}) {
		this.#isFound = isFound;
		this.#context = context;
		this.#onClose = onClose;
	}

	/** The engine for a session that ran in `cwd`. It stays open until another project's log is needed. */
	for(cwd: string | undefined): Engine {
		const folder = this.#folderFor(cwd);
		if (this.#open && this.#open.project.root === projectRoot(folder)) return this.#open;
		this.close();
		this.#open = this.#context.openForWriting(folder);
		return this.#open;
	}

	close(): void {
		const engine = this.#open;
		this.#open = undefined;
		if (!engine) return;
		try {
			this.#onClose(engine);
		} finally {
			engine.close();
		}
	}

	#folderFor(cwd: string | undefined): string {
		if (this.#context.projectGiven || cwd === undefined) return this.#context.folder;
		return isFolder(cwd) || (this.#isFound && isAbsolute(cwd)) ? cwd : this.#context.folder;
	}
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
