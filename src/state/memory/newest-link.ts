/**
 * `SESSION.md` beside the other files is a link to that of the session that began last, so that whoever edits it edits the
 * session's own file. Editors that save by renaming put a file in its place: that file is what the user wants the session's
 * own to say.
 */
import { lstatSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readBounded } from "../../base/file/regular-file.ts";
import { FILE_NAMES, type MemoryFile, newestPath, pathOf, sessionFolderPath } from "./place.ts";
import { MAX_BYTES, nameOf } from "./write.ts";

const OWNER = /^<!-- weft revision \d{1,12} of session ([\w.@+~-]{1,80})\./m;

/** From now on it is this session's. */
export function pointTo(folder: string, file: MemoryFile): void {
	takeBack(folder, file);
	const link = newestPath(folder);
	const fresh = `${link}.new`;
	// A compaction may be the first that writes here.
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	rmSync(fresh, { force: true });
	symlinkSync(relative(folder, pathOf(folder, file)), fresh);
	renameSync(fresh, link);
}

/** Before a session's file is read: what stands in the place of the link is taken, and the link made again, if it is this one's. */
export function mendLink(folder: string, file: MemoryFile): void {
	const state = lstatSync(newestPath(folder), { throwIfNoEntry: false });
	if (
		state === undefined ||
		(state.isFile() && ownerIn(newestPath(folder)) === nameOf(file).slice(" of session ".length))
	)
		pointTo(folder, file);
}

/** A file in the place of the link goes where it belongs; one that does not tell where is kept with the backups. */
function takeBack(folder: string, file: MemoryFile): void {
	const path = newestPath(folder);
	if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return;
	const owner = ownerIn(path);
	const isOwn = owner !== undefined && nameOf(file) === ` of session ${owner}`;
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
