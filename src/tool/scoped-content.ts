/** What a handle names, as far as the asking session may read it. Another owner's text is as unknown as one that never was. */
import { isWithin } from "../log/search/filter.ts";
import { blobHandle, type Handle } from "../state/history/handle.ts";
import { type ContentLookup, findContent } from "../state/history/handle-content.ts";
import type { Node } from "../state/history/types.ts";
import type { ToolContext } from "./types.ts";

type Reader = Pick<ToolContext, "history" | "scope">;

/** Throws nothing: what is out of scope is not found. */
export function contentInScope(reader: Reader, handle: Exclude<Handle, { kind: "node" }>): ContentLookup {
	if (isInScope(reader, handle)) return findContent(reader.history.log, handle);
	const name = handle.kind === "blob" ? `blob ${handle.hash}` : `${handle.kind} ${handle.id}`;
	return { ok: false, reason: `There is no ${name} in this log. It may have been shown from another one.` };
}

/** Fold missing events before. */
export function nodeInScope({ history, scope }: Reader, id: string): Node | undefined {
	const node = history.node(id);
	return node && isWithin(scope.searched, node.session.session) ? node : undefined;
}

/** False: it belongs to a session that the scope may not read. True also for a handle that names nothing. */
export function isInScope(reader: Reader, handle: Handle): boolean {
	const { history, scope } = reader;
	if (scope.searched === "all") return true;
	switch (handle.kind) {
		case "blob":
			// A blob has no session. Its handle is its hash, which only its reader was shown; the beginning of one can be guessed.
			return blobHandle(handle.hash).length === blobHandle(handle.hash.padEnd(64, "0")).length;
		case "node":
			history.catchUp();
			return nodeInScope(reader, handle.id) !== undefined;
		default: {
			const seq = history.log.findHandle(handle.id);
			const session = seq === undefined ? undefined : history.log.getStored(seq)?.session;
			return session === undefined || isWithin(scope.searched, session);
		}
	}
}
