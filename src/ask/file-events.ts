/** The recorded changes of a file, however its sessions spell it. */
import { relative, resolve } from "node:path";
import type { EventRecord } from "../log/event/types.ts";
import type { Log } from "../log/log.ts";

const MAX_SPELLINGS = 12;

/** `known`: paths of the project's state, which may end in the given one. Oldest first. */
export function fileEvents(
	log: Log,
	given: string,
	{ root, known }: { readonly root: string; readonly known: readonly string[] },
): readonly EventRecord[] {
	const path = given.replace(/^\.\//, "");
	const own = path.startsWith("/") ? relative(root, path) : path;
	const ending = known.filter((each) => each.endsWith(`/${own}`)).slice(0, MAX_SPELLINGS);
	const found = new Map<number, EventRecord>();
	for (const file of new Set([own, path, resolve(root, own), ...ending])) {
		for (const record of log.read({ file, types: ["FileChanged"] })) found.set(record.seq, record);
	}
	return [...found.values()].sort((one, other) => one.seq - other.seq);
}
