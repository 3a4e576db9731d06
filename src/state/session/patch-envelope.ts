/** The format of `apply_patch`: `*** Update File: path`, then hunks without line numbers. */

import type { Hunk } from "../../base/diff/unified.ts";
import type { FileChange } from "./file-change.ts";

const MOVE = "*** Move to: ";

export function readPatchEnvelope(patch: string): FileChange[] {
	const changes: FileChange[] = [];
	let file: { path: string; verb: string; hunks: string[][]; to?: string | undefined } | undefined;
	const close = () => {
		if (file) changes.push(...moved(toChange(file.path, file.verb, file.hunks), file.to));
		file = undefined;
	};
	for (const line of patch.split("\n")) {
		const header = /^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/.exec(line);
		if (header) {
			close();
			const [, verb = "", path = ""] = header;
			file = { verb, path, hunks: [[]] };
		} else if (file && line.startsWith(MOVE)) {
			file.to = line.slice(MOVE.length).trim();
		} else if (line.startsWith("*** End Patch")) {
			close();
		} else if (file && line.startsWith("@@")) {
			file.hunks.push([]);
		} else if (file && /^[ +-]/.test(line)) {
			file.hunks.at(-1)?.push(line);
		} else if (file && line === "") {
			file.hunks.at(-1)?.push(" ");
		}
	}
	close();
	return changes;
}

/** A move replaces the file at the new path and deletes the one at the old. */
function moved(change: FileChange, to: string | undefined): FileChange[] {
	const { path } = change;
	if (!to || to === path || change.kind !== "edit") return [change];
	return [
		{ ...change, path: to, movedFrom: path },
		{ path, kind: "delete" },
	];
}

function toChange(path: string, verb: string, groups: readonly string[][]): FileChange {
	if (verb === "Delete") return { path, kind: "delete" };
	let hunks: Hunk[] = [];
	for (const group of groups) {
		const lines = trimmed(group);
		if (!lines.some((line) => !line.startsWith(" "))) continue;
		const oldLines = lines.filter((line) => !line.startsWith("+")).length;
		const newLines = lines.filter((line) => !line.startsWith("-")).length;
		hunks.push({ oldStart: 1, oldLines, newStart: 1, newLines, lines });
	}
	if (verb === "Add") {
		hunks = hunks.slice(0, 1);
		return { path, kind: "write", created: true, hunks };
	}
	return { path, kind: "edit", hunks };
}

/** An empty line at the end of a hunk belongs to the envelope. */
function trimmed(lines: readonly string[]): string[] {
	return lines.at(-1) === " " ? lines.slice(0, -1) : [...lines];
}
