/**
 * Finds the entries of a Pi session that are new. Pi appends each entry as a child of the leaf, so new entries are between the
 * leaf and its first known ancestor: a step costs only what is new. Only after the leaf has moved (a tree jump, a resume) does
 * a step need the whole list.
 */
import type { ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";

export type PiEntries = Pick<ExtensionContext["sessionManager"], "getEntries" | "getEntry" | "getLeafEntry">;

export class EntryFollower {
	readonly #known = new Set<string>();

	/** New entries on the path to the leaf, oldest first. */
	onBranch(session: PiEntries): SessionEntry[] {
		const fresh: SessionEntry[] = [];
		let entry = session.getLeafEntry();
		while (entry && !this.#known.has(entry.id)) {
			fresh.push(entry);
			entry = entry.parentId === null ? undefined : session.getEntry(entry.parentId);
		}
		return fresh.reverse();
	}

	/** New entries on any branch, in the order in which Pi appended them. */
	anywhere(session: PiEntries): SessionEntry[] {
		return session.getEntries().filter(({ id }) => !this.#known.has(id));
	}

	/** Marks entries as known; until then each step returns them again. */
	know(entries: Iterable<SessionEntry>): void {
		for (const { id } of entries) this.#known.add(id);
	}
}
