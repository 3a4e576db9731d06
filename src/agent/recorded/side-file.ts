import { readWithin, textOf } from "../../base/file/regular-file.ts";

const MAX_SIDE_BYTES = 16 * 1024 * 1024;

/** A small file that an agent keeps next to its sessions. Undefined: there is none that can be read in this folder. */
export function readSideFile(folder: string, name: string): string | undefined {
	return textOf(readWithin(folder, name, MAX_SIDE_BYTES));
}
