/** A failure, and what fixed it, in words. */
import { getKey } from "../../../log/fold/keyed.ts";
import type { FilesState } from "../file-fold.ts";
import type { Failure } from "./types.ts";

/** Renders unit and error without repeating a word: `src/a.ts TS2304: Cannot find name 'x'`. */
export function whatFailed({ unit, class: kind, message }: Failure): string {
	const said = message.trim();
	const place = unit === null || said.startsWith(unit) ? "" : unit;
	const isNamed = kind === null || said.startsWith(kind) || place.endsWith(kind);
	const words = [place, isNamed ? "" : kind, said].filter((each) => each !== "");
	return words.join(": ") || "it printed no error";
}

const MAX_FIXES = 3;

/** The files that the agent changed between the last red run and the green one, the newest first. */
export function fixedIn({ lastSeq, resolvedSeq }: Failure, { files, recent }: FilesState): string[] {
	if (resolvedSeq === null) return [];
	const changed = recent.filter((path) =>
		getKey(files, path)?.history.some(({ seq, actor }) => actor === "agent" && seq > lastSeq && seq < resolvedSeq),
	);
	return changed.slice(-MAX_FIXES).reverse();
}
