/**
 * Which log does a session go to? To that of its own folder if it exists, else to the current project's; `--project`
 * decides for all. One log is open at a time: a user's folder may hold sessions of hundreds of projects.
 */
import { statSync } from "node:fs";
import type { Engine } from "../engine.ts";
import { projectRoot } from "../log/home.ts";
import type { Context } from "./context.ts";

export class ImportLogs {
	readonly #context: Context;
	readonly #onClose: (engine: Engine) => void;
	#open: Engine | undefined;

	constructor(context: Context, onClose: (engine: Engine) => void) {
		this.#context = context;
		this.#onClose = onClose;
	}

	/** The engine for a session that ran in `cwd`. It stays open until another project's is asked for. */
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
		if (this.#context.projectGiven || cwd === undefined || !isFolder(cwd)) return this.#context.folder;
		return cwd;
	}
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
