/**
 * The host's own transcript, read by its cursor: the source of what no call delivered (turns that were aborted, that
 * failed, that another engine answered). Only what is new is read; how far is written with the rows.
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
	/** The transcript is another one, or its branch moved: read from this cursor on. */
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

/** A transcript that is replaced while it is read is read again, so often. */
const MAX_RESETS = 3;
const MAX_PAGES = 100_000;

/** Where somebody waits, a page is small: it is written at once, and only then is the clock looked at again. */
const HURRIED_PAGE_BYTES = 200_000;

export interface CaughtUp {
	readonly added: number;
	/** False: the host's transcript could not be read now, or not all of it in time. */
	readonly isRead: boolean;
}

export interface CatchUpOptions {
	/** What is not read by then is read the next time. */
	readonly mostMs?: number | undefined;
	/** Our name of the message before which to stop: it is about to be recorded otherwise, and what follows it is read later. */
	readonly before?: string | undefined;
}

export async function catchUp(
	sessions: Sessions,
	host: HostSession,
	target: Omit<TranscriptQuery, "cursor" | "maxBytes">,
	read: ReadTranscript,
	{ mostMs, before }: CatchUpOptions = {},
): Promise<CaughtUp> {
	const until = mostMs === undefined ? undefined : performance.now() + mostMs;
	const pageBytes = until === undefined ? undefined : HURRIED_PAGE_BYTES;
	let cursor = sessions.state(host).cursor;
	let maxBytes = pageBytes;
	let added = 0;
	let resets = 0;
	for (let pages = 0; pages < MAX_PAGES; pages++) {
		if (until !== undefined && performance.now() >= until) return { added, isRead: false };
		const reading = read({
			...target,
			...(cursor !== undefined && { cursor }),
			...(maxBytes && { maxBytes }),
		}).catch((error: unknown) => {
			// A turn is under way, and it was read in a compaction already: before it there is nothing new.
			if (isFenced(error)) return undefined;
			throw error;
		});
		const page = until === undefined ? await reading : await inTime(reading, until);
		if (page === "late") return { added, isRead: false };
		if (!page) return { added, isRead: true };
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

async function inTime<Answer>(answer: Promise<Answer>, until: number): Promise<Answer | "late"> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<"late">((done) => {
		timer = setTimeout(() => done("late"), until - performance.now());
	});
	try {
		return await Promise.race([answer, late]);
	} finally {
		clearTimeout(timer);
	}
}

function isFenced(error: unknown): boolean {
	return error instanceof Error && (error.name === "SessionTranscriptReadFenceError" || /fence/.test(error.message));
}
