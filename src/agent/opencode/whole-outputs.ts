import type { KnownEvents } from "../recorded/reader.ts";
import { readWholeOutput } from "../recorded/whole-output.ts";

/** Keeps the file that a cut output names; gives its SHA-256. Undefined: it is not there any more. */
export function outputsIn(folder: string, log: KnownEvents): ((told: string) => string | undefined) | undefined {
	if (!log.putBlob) return undefined;
	return (told) => {
		const bytes = readWholeOutput(folder, told);
		return bytes && log.putBlob!(bytes);
	};
}
