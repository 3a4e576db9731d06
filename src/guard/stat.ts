/** What an equal or a changed stat proves. */
import type { FileStat } from "./types.ts";

/**
 * The clock that stamps files ticks slower than files can be written. One that changed this shortly before we looked may
 * change again within the same tick and show the same stat: then only its bytes tell (git calls such files racy).
 */
const TICK_MS = 20;
/** FAT, HFS+ and some network disks keep whole seconds, FAT even ones. */
const COARSE_TICK_MS = 2_000;

/**
 * Device and inode make it sure that the path still leads to the same file: a folder on the way that was replaced by a
 * symlink, or a file that was renamed into place, shows another inode. The change time, which no program can set, tells
 * a file that was rewritten and given its old modification time.
 */
export function sameStat(a: FileStat, b: FileStat): boolean {
	return a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino && a.ctimeNs === b.ctimeNs && a.dev === b.dev;
}

/** True when an equal stat later on is no proof that the bytes are the same. */
export function isRacy(stat: FileStat): boolean {
	const coarse = stat.mtimeNs.endsWith("000000000") && stat.ctimeNs.endsWith("000000000");
	return changedAtMs(stat) > stat.at - (coarse ? COARSE_TICK_MS : TICK_MS);
}

/** When the file last changed, ms since the epoch. */
function changedAtMs(stat: FileStat): number {
	return Math.max(Number(stat.mtimeNs), Number(stat.ctimeNs)) / 1e6;
}

/** True when the file has not changed since then, by the clock of the same machine; `ms` is a whole number. */
export function unchangedSince(stat: FileStat, ms: number): boolean {
	return Math.floor(changedAtMs(stat)) <= ms;
}

/** True when the change may have been made after `ms`, the resolution of the disk's clock allowed for. */
export function changedAfter(stat: FileStat, ms: number): boolean {
	return changedAtMs(stat) >= ms - TICK_MS;
}
