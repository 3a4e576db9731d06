/** A file appears with its new text or keeps its old one, whenever the process ends. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Temporary file, fsync, rename, fsync of the folder. One writer at a time: the temporary file has one name. */
export function writeAtomically(path: string, text: string, mode = 0o600): void {
	const fresh = `${path}.new`;
	rmSync(fresh, { force: true });
	const file = openSync(fresh, "wx", mode);
	try {
		writeFileSync(file, text);
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
	renameSync(fresh, path);
	syncFolder(dirname(path));
}

/** So that the rename itself survives a power cut. Not every system lets one do it. */
function syncFolder(path: string): void {
	try {
		const folder = openSync(path, "r");
		try {
			fsyncSync(folder);
		} finally {
			closeSync(folder);
		}
	} catch {
		// The text is on the disk; only the name may be the old one after a power cut.
	}
}
