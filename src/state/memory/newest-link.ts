/**
 * `SESSION.md` beside the other files links to the file of the session that began last, so that editing it edits the
 * session's own file. Editors that save by renaming replace the link with a file: its text is the user's new version of
 * the session's file.
 */
import { lstatSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readBounded } from "../../base/file/regular-file.ts";
import { MAX_BYTES } from "./document-cache.ts";
import { ownerOf } from "./file-text.ts";
import { FILE_NAMES, type MemoryFile, newestPath, pathOf, sessionFolderPath } from "./memory-files.ts";

const OWNER = /^<!-- weft revision \d{1,12} of session ([\w.@+~-]{1,80})\./m;

/** Points the link to this session's file. */
export function pointTo(folder: string, file: MemoryFile): void {
	takeBack(folder, file);
	const link = newestPath(folder);
	const fresh = `${link}.new`;
	// A compaction may be the first to write here.
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	rmSync(fresh, { force: true });
	symlinkSync(relative(folder, pathOf(folder, file)), fresh);
	renameSync(fresh, link);
}

/** Call this before reading a session's file: takes back a file that replaced the link to it, and links again. */
export function mendLink(folder: string, file: MemoryFile): void {
	const state = lstatSync(newestPath(folder), { throwIfNoEntry: false });
	if (
		state === undefined ||
		(state.isFile() && ownerIn(newestPath(folder)) === ownerOf(file).slice(" of session ".length))
	)
		pointTo(folder, file);
}

/** Moves a file that replaced the link to the session that it names, or to the backups if it names none. */
function takeBack(folder: string, file: MemoryFile): void {
	const path = newestPath(folder);
	if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return;
	const owner = ownerIn(path);
	const isOwn = owner !== undefined && ownerOf(file) === ` of session ${owner}`;
	const known = owner === undefined ? undefined : sessionFolderPath(folder, owner);
	const place = isOwn
		? pathOf(folder, file)
		: known !== undefined && lstatSync(known, { throwIfNoEntry: false })?.isDirectory()
			? join(known, FILE_NAMES.session)
			: join(folder, "backup", "SESSION-found.md");
	mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
	renameSync(path, place);
}

function ownerIn(path: string): string | undefined {
	const reading = readBounded(path, MAX_BYTES);
	return reading.kind === "bytes" ? OWNER.exec(reading.bytes.toString("utf8", 0, 400))?.[1] : undefined;
}
