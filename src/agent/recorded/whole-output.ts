import { readWithin } from "../../base/file/regular-file.ts";

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * The whole of an output that a transcript cuts, from the file that it names. Uses only the file's name: the recorded path
 * may be another machine's.
 */
export function readWholeOutput(folder: string, recordedPath: string): Buffer | undefined {
	const name = recordedPath.split(/[/\\]/).at(-1);
	if (name === undefined || name === "" || name.startsWith(".")) return undefined;
	const reading = readWithin(folder, name, MAX_OUTPUT_BYTES);
	return reading.kind === "bytes" ? reading.bytes : undefined;
}
