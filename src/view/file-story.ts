/** Everything that happened to one file: each read, change and verdict, in order. */
import type { EventRecord } from "../event/types.ts";
import { newestFirst, type Recent } from "../fold/keyed.ts";
import type { Log } from "../log/log.ts";

export const FILE_EVENTS = ["FileRead", "FileChanged", "Verdict"];

/** A file as events spell it: from the project's root, absolute, or from the folder of one session. */
export interface Spelling {
	readonly file: string;
	readonly session?: string;
}

export function fileStory(log: Log, spellings: readonly Spelling[]): EventRecord[] {
	const found = new Map<number, EventRecord>();
	for (const spelling of spellings) {
		for (const record of log.read({ ...spelling, types: FILE_EVENTS })) found.set(record.seq, record);
	}
	return [...found.values()].sort((one, other) => one.seq - other.seq);
}

/** How sessions that ran in a folder of the project name a file of it. */
export function spellingsOf(file: string, prefixes: Recent<string>): Spelling[] {
	return [...newestFirst(prefixes)]
		.filter(([, prefix]) => file.startsWith(prefix))
		.map(([session, prefix]) => ({ file: file.slice(prefix.length), session }));
}
