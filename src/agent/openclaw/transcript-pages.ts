/**
 * Reads the host's own transcript page by page, with the host's cursor. It has what no call delivered: turns that were
 * aborted, that failed, that another engine answered. Only new rows are read; the cursor is recorded with them.
 */
import type { AgentMessage } from "./contract.ts";
import { type HostSession, nameRows, type Sessions } from "./sessions.ts";

export interface TranscriptRow {
	readonly entryId: string;
	readonly message: AgentMessage;
	readonly createdAt?: string | undefined;
}

export type TranscriptPage =
	| {
			readonly kind: "page";
			readonly cursor: string;
			readonly hasMore: boolean;
			readonly entries: readonly TranscriptRow[];
			/** The next row alone is larger than a page. */
			readonly requiredBytes?: number | undefined;
	  }
	/** The transcript was replaced, or its branch moved: read on from this cursor. */
	| { readonly kind: "reset"; readonly cursor: string }
	/** missing: there is none. unavailable: not now. */
	| { readonly kind: "missing" | "unavailable" };

export interface TranscriptQuery extends HostSession {
	readonly agentId: string;
	readonly storePath?: string | undefined;
	readonly cursor?: string | undefined;
	readonly maxBytes?: number | undefined;
}

export type ReadTranscript = (query: TranscriptQuery) => Promise<TranscriptPage>;

/** How often to start again when the transcript is replaced while it is read. */
const MAX_RESETS = 3;
const MAX_PAGES = 100_000;

/** With a time limit pages are small: each is recorded at once, and the clock is checked only between pages. */
const HURRIED_PAGE_BYTES = 200_000;

export interface CatchUpResult {
	readonly added: number;
	/** False: the host's transcript could not be read, or not all of it in time. */
	readonly isRead: boolean;
}

export interface CatchUpOptions {
	/** The next catch-up reads what remains after this time. */
	readonly maxMs?: number | undefined;
	/** Our name of a message that is about to be recorded otherwise: stop before it. */
	readonly before?: string | undefined;
}

export async function catchUp(
	sessions: Sessions,
	host: HostSession,
	target: Omit<TranscriptQuery, "cursor" | "maxBytes">,
	read: ReadTranscript,
	{ maxMs, before }: CatchUpOptions = {},
): Promise<CatchUpResult> {
	const until = maxMs === undefined ? undefined : performance.now() + maxMs;
	const pageBytes = until === undefined ? undefined : HURRIED_PAGE_BYTES;
	let cursor = sessions.state(host).cursor;
	let maxBytes = pageBytes;
	let added = 0;
	let resets = 0;
	for (let pages = 0; pages < MAX_PAGES; pages++) {
		if (until !== undefined && performance.now() >= until) return { added, isRead: false };
		const query = { ...target, ...(cursor !== undefined && { cursor }), ...(maxBytes && { maxBytes }) };
		const page = await readPage(read(query), until);
		if (page === "fenced") return { added, isRead: true };
		if (page === "late") return { added, isRead: false };
		if (page.kind === "reset") {
			if (++resets > MAX_RESETS) return { added, isRead: false };
			cursor = page.cursor;
			continue;
		}
		if (page.kind !== "page") return { added, isRead: false };
		const again = resets > 0;
		const end = before === undefined ? -1 : nameRows(page.entries).indexOf(before);
		if (end >= 0) {
			added += sessions.recordRows(host, page.entries.slice(0, end), { cursor, again });
			return { added, isRead: false };
		}
		added += sessions.recordRows(host, page.entries, { cursor: page.cursor, again });
		cursor = page.cursor;
		maxBytes = page.requiredBytes ?? pageBytes;
		if (!page.hasMore || (page.entries.length === 0 && page.requiredBytes === undefined)) break;
	}
	return { added, isRead: true };
}

/** fenced: a compaction in the current turn has read past the fence already, and nothing new lies before it. */
async function readPage(
	reading: Promise<TranscriptPage>,
	until: number | undefined,
): Promise<TranscriptPage | "fenced" | "late"> {
	const page = reading.catch((error: unknown) => {
		if (isFenceError(error)) return "fenced" as const;
		throw error;
	});
	if (until === undefined) return page;
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<"late">((done) => {
		timer = setTimeout(() => done("late"), until - performance.now());
	});
	try {
		return await Promise.race([page, late]);
	} finally {
		clearTimeout(timer);
	}
}

function isFenceError(error: unknown): boolean {
	return error instanceof Error && (error.name === "SessionTranscriptReadFenceError" || /fence/.test(error.message));
}
