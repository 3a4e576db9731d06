/**
 * The messages that Pi would send, with the entries that they come from: behind the newest compaction what it keeps, or
 * the whole branch. A seal of ours is a compaction whose details say so.
 */
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { WovenMessage } from "../../context/seal/weave.ts";
import { asName, asObject } from "../../json/read.ts";
import { cutMessage } from "../../message/turns.ts";
import { isEmpty, readWire, shownText } from "../../message/view.ts";
import { toPlain } from "../../message/wire.ts";
import type { Projected } from "./projection.ts";

export interface ActivePath {
	readonly messages: readonly WovenMessage[];
	/** `from` of the seal that stands at its head; null: none. */
	readonly standing: string | null;
}

/** `isSeal`: whether a seal with this first message is known; a summary that is none counts as a message. */
export function activePath(entries: readonly Projected[], isSeal: (from: string) => boolean): ActivePath {
	const head = entries[0]?.sourceEntry;
	const from = head && sealedFrom(head);
	const standing = from !== undefined && isSeal(from) ? from : null;
	const shown = standing === null ? entries : entries.slice(1);
	return { standing, messages: shown.flatMap(wovenMessage) };
}

/** The details of a compaction that is a seal of ours. */
export interface SealDetails {
	readonly weft: "seal";
	readonly nodes: readonly string[];
	readonly why: string;
}

/** Entry of the first raw message behind a seal of ours; undefined: it is none. */
export function sealedFrom(entry: SessionEntry): string | undefined {
	if (entry.type !== "compaction" || asObject(entry.details)?.["weft"] !== "seal") return undefined;
	return asName(entry.firstKeptEntryId);
}

/** An entry never changes, so what it weighs is worked out once. An edit of it is another list of messages. */
const known = new WeakMap<SessionEntry, WovenMessage>();

function wovenMessage({ sourceEntry, messages }: Projected): WovenMessage[] {
	// A compaction brings Pi's prompt along, as a message before its summary.
	const message = messages.find(({ role }) => role !== "system");
	if (!message) return [];
	const same = sourceEntry.type === "message" && sourceEntry.message === message;
	const before = same ? known.get(sourceEntry) : undefined;
	if (before) return [before];
	const view = readWire(message, "pi");
	if (isEmpty(view) || !toPlain(view, "pi")) return [];
	const made: WovenMessage = {
		id: sourceEntry.id,
		...cutMessage(view),
		// Only a seal asks for it.
		get text() {
			return shownText(view);
		},
	};
	if (same) known.set(sourceEntry, made);
	return [made];
}
