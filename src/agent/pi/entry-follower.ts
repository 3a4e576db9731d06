/**
 * Which entries of a Pi session have not been seen yet. Pi appends each entry as a child of the leaf, so what is new lies
 * between the leaf and the first known ancestor: a step costs what is new, not what is there. Only where the leaf was
 * moved since the last step (a tree jump, a resume) must the whole list be looked through.
 */
import type { ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";

export type PiEntries = Pick<ExtensionContext["sessionManager"], "getEntries" | "getEntry" | "getLeafEntry">;

export class EntryFollower {
	readonly #known = new Set<string>();

	/** New entries on the way to the leaf, oldest first. */
	onBranch(session: PiEntries): SessionEntry[] {
		const fresh: SessionEntry[] = [];
		let entry = session.getLeafEntry();
		while (entry && !this.#known.has(entry.id)) {
			fresh.push(entry);
			entry = entry.parentId === null ? undefined : session.getEntry(entry.parentId);
		}
		return fresh.reverse();
	}

	/** New entries anywhere, in the order in which Pi appended them. */
	anywhere(session: PiEntries): SessionEntry[] {
		return session.getEntries().filter(({ id }) => !this.#known.has(id));
	}

	/** Marks entries as seen; until then they are given again. */
	know(entries: Iterable<SessionEntry>): void {
		for (const { id } of entries) this.#known.add(id);
	}
}
