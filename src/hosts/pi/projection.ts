/**
 * What Pi would send, entry by entry, found from the leaf upwards: it costs what is sent, not what the session holds. It
 * follows Pi's own projection, which walks the whole session each time.
 */
import type { ContextEvent, ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";

export type PiMessage = ContextEvent["messages"][number];
export type EntrySource = Pick<ExtensionContext["sessionManager"], "getLeafEntry" | "getEntry">;

export interface Projected {
	readonly sourceEntry: SessionEntry;
	/** None for an entry that says nothing to the model, or that was taken out. */
	readonly messages: readonly PiMessage[];
}

export function projectBranch(session: EntrySource): Projected[] {
	const { compaction, entries } = contextEntries(session);
	const edits = new Map<string, Edit>();
	for (const entry of entries) if (entry.type === "context_edit") edits.set(entry.targetId, entry);
	return [
		...(compaction ? [{ sourceEntry: compaction, messages: [summaryOf(compaction)] }] : []),
		...entries.map((entry) => ({ sourceEntry: entry, messages: edited(messagesOf(entry), edits.get(entry.id)) })),
	];
}

type Compaction = Extract<SessionEntry, { type: "compaction" }>;
type Edit = Extract<SessionEntry, { type: "context_edit" }>;

/** Back to the newest compaction, and behind it to the first entry that it keeps. */
function contextEntries(session: EntrySource): { compaction: Compaction | undefined; entries: SessionEntry[] } {
	const entries: SessionEntry[] = [];
	let compaction: Compaction | undefined;
	let at = session.getLeafEntry();
	while (at) {
		if (at.type === "compaction" && !compaction) {
			compaction = at;
			// It keeps nothing but what comes after it.
			if (at.firstKeptEntryId === at.id) break;
		} else if (!(compaction && isSystem(at))) entries.push(at);
		if (compaction && at.id === compaction.firstKeptEntryId) break;
		at = at.parentId === null ? undefined : session.getEntry(at.parentId);
	}
	const kept = at !== undefined;
	entries.reverse();
	if (compaction && !kept) entries.splice(0, entries.length, ...after(entries, compaction));
	return { compaction, entries };
}

/** A first entry that is not on the path keeps nothing, silently: so Pi does it. */
function after(entries: readonly SessionEntry[], compaction: Compaction): SessionEntry[] {
	const first = entries.findIndex(({ parentId }) => parentId === compaction.id);
	return first === -1 ? [] : entries.slice(first);
}

function isSystem(entry: SessionEntry): boolean {
	return entry.type === "message" && entry.message.role === "system";
}

function messagesOf(entry: SessionEntry): PiMessage[] {
	switch (entry.type) {
		case "message":
			return isSystem(entry) ? [] : [entry.message as PiMessage];
		case "custom_message": {
			const { customType, content, display, details } = entry;
			const timestamp = Date.parse(entry.timestamp);
			return [{ role: "custom", customType, content, display, details, timestamp } as PiMessage];
		}
		case "branch_summary": {
			const { summary, fromId } = entry;
			if (!summary) return [];
			return [{ role: "branchSummary", summary, fromId, timestamp: Date.parse(entry.timestamp) } as PiMessage];
		}
		default:
			return [];
	}
}

function summaryOf({ summary, tokensBefore, timestamp }: Compaction): PiMessage {
	return { role: "compactionSummary", summary, tokensBefore, timestamp: Date.parse(timestamp) } as PiMessage;
}

function edited(messages: readonly PiMessage[], edit: Edit | undefined): readonly PiMessage[] {
	if (!edit) return messages;
	const { replacement } = edit;
	if (replacement === null) return [];
	return messages.map((message) => {
		const texts = message.role === "assistant" || message.role === "toolResult";
		const { content } = replacement;
		return { ...message, content: texts && typeof content === "string" ? [{ type: "text", text: content }] : content };
	}) as PiMessage[];
}
