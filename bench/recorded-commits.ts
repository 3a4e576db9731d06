/** Commits with the sessions that made them: what each holds of a file after it, from its diff. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parsePatch } from "diff";
import { asObject, asText, parseObject } from "../src/base/json/read.ts";
import type { KnownLines } from "../src/state/work/file-source.ts";

export interface RecordedCommit {
	readonly subject: string;
	/** Path → the lines that the diff shows, as the commit has them. */
	readonly files: ReadonlyMap<string, readonly KnownLines[]>;
}

/** The list cuts a diff here, so its last file is not whole. */
const MAX_DIFF_CHARS = 12_000;

/** `file`: one commit a line, with `sessions`, `subject` and `diff`. By the names of sessions' files. */
export function readCommits(file: string): Map<string, RecordedCommit[]> {
	const found = new Map<string, RecordedCommit[]>();
	for (const line of readFileSync(file, "utf8").split("\n")) {
		const commit = asObject(parseObject(line));
		const [subject, diff] = [asText(commit?.["subject"]), asText(commit?.["diff"])];
		const sessions = commit?.["sessions"];
		if (subject === undefined || diff === undefined || !Array.isArray(sessions)) continue;
		for (const session of sessions.map(String))
			found.set(basename(session), [...(found.get(basename(session)) ?? []), { subject, files: linesAfter(diff) }]);
	}
	return found;
}

function linesAfter(diff: string): Map<string, KnownLines[]> {
	const files = diff.split(/^(?=diff --git )/m).slice(0, diff.length >= MAX_DIFF_CHARS ? -1 : undefined);
	const found = new Map<string, KnownLines[]>();
	for (const text of files) {
		const [patch] = parsePatch(text);
		const path = patch?.newFileName?.replace(/^b\//, "");
		if (!patch || path === undefined || path === "/dev/null") continue;
		const parts = patch.hunks.map(({ newStart, lines }) => ({
			from: newStart,
			lines: lines.filter((line) => /^[ +]/.test(line)).map((line) => line.slice(1)),
		}));
		found.set(path, parts);
	}
	return found;
}
