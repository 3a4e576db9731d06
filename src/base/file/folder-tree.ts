/** Walks a folder of another program. Links are followed inside the folder only: one to `/` must not walk the disk. */
import { type Dirent, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin, linkStatOf, realPath, statOf } from "./regular-file.ts";

export interface TreeFile {
	readonly path: string;
	/** The same for all links to one file. */
	readonly real: string;
}

/**
 * The regular files in a folder and below it, in no particular order. Visits each folder once and skips those that cannot
 * be read. `onOutside` is called for each link that leads out of the folder, also if it is the folder itself.
 */
export function* filesBelow(folder: string, onOutside: (link: string) => void = () => {}): Generator<TreeFile> {
	const root = realPath(folder);
	if (root === undefined) return;
	if (leadsAroundItself(folder, root)) {
		onOutside(folder);
		return;
	}
	const seen = new Set([root]);
	const open: TreeFile[] = [{ path: folder, real: root }];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		for (const entry of entriesOf(next.real)) {
			const path = join(next.path, entry.name);
			const isLink = entry.isSymbolicLink();
			const real = isLink ? realPath(path) : join(next.real, entry.name);
			if (real === undefined) continue;
			if (isLink && !isWithin(root, real)) {
				onOutside(path);
				continue;
			}
			const kind = isLink ? statOf(real) : entry;
			if (kind?.isFile()) yield { path, real };
			if (!kind?.isDirectory() || seen.has(real)) continue;
			seen.add(real);
			open.push({ path, real });
		}
	}
}

/** True: the folder is a link to one that it is in, such as `/`. A link to any other place is the user's own choice. */
function leadsAroundItself(folder: string, root: string): boolean {
	if (!linkStatOf(folder)?.isSymbolicLink()) return false;
	const parent = realPath(dirname(folder));
	return parent !== undefined && isWithin(root, parent);
}

/** Sorted, so that the same link wins each time. */
function entriesOf(folder: string): Dirent[] {
	try {
		return readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
	} catch {
		return [];
	}
}
