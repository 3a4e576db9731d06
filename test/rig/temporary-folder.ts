/**
 * Folders that a test writes to. Each is empty, under its real path, and is removed when the test's process ends: an
 * engine, a log or a child process may still hold files when a test's own hooks run.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const folders = new Set<string>();
process.once("exit", () => folders.forEach(removeFolder));

export function temporaryFolder(): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "weft-test-")));
	folders.add(folder);
	return folder;
}

/** For a test that makes many folders; the others wait for the end of the process. */
export function removeFolder(folder: string): void {
	rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	folders.delete(folder);
}

/** A project's folder, and beside it the folder for weft's data. */
export class TemporaryProject implements Disposable {
	readonly root = temporaryFolder();
	readonly folder = join(this.root, "project");
	readonly home = join(this.root, "home");

	constructor(files: Readonly<Record<string, string | Uint8Array>> = {}) {
		mkdirSync(this.folder);
		for (const [name, content] of Object.entries(files)) this.put(name, content);
	}

	[Symbol.dispose](): void {
		removeFolder(this.root);
	}

	readonly path = (name: string): string => resolve(this.folder, name);

	/** Somebody else writes a file. */
	readonly put = (name: string, content: string | Uint8Array): void => {
		mkdirSync(dirname(this.path(name)), { recursive: true });
		writeFileSync(this.path(name), content);
	};

	readonly text = (name: string): string => readFileSync(this.path(name), "utf8");
}
