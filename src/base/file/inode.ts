import { statSync } from "node:fs";

/** Tells a file from another one that took its path; undefined: there is none. */
export function inodeOf(path: string): bigint | undefined {
	return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
