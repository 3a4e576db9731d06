/** Searches messages and results by their words, and files by their path. */

import { cutWithEllipsis } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import type { Engine } from "../engine.ts";
import { handleOf } from "../log/handle.ts";
import { readEventText } from "./event.ts";

export interface SearchHit {
	readonly seq: number;
	readonly handle: string;
	readonly session: string;
	readonly role: string;
	readonly tool: string | null;
	readonly ts: number;
	readonly snippet: string;
}

export interface SearchView {
	readonly text: string;
	readonly hits: readonly SearchHit[];
	readonly searched: number;
	/** False: the time limit ended the search, or some events are not indexed yet. */
	readonly complete: boolean;
	readonly next: number | null;
	readonly files: readonly {
		readonly path: string;
		readonly reads: number;
		readonly changes: number;
		readonly lastSeq: number;
	}[];
}

export interface SearchPageOptions {
	readonly session?: string | undefined;
	readonly offset: number;
	readonly limit: number;
	/** Hides credentials. Snippets are cut after masking, because the middle of a secret is not recognised. */
	readonly mask?: ((text: string) => Promise<string>) | undefined;
}

const MAX_FILES = 8;
const AROUND_CHARS = 120;
/** Text to mask around a match. Secrets are shorter. */
const MASKED_CHARS = 40_000;

export async function viewSearch(
	engine: Engine,
	text: string,
	{ session, offset, limit, mask }: SearchPageOptions,
): Promise<SearchView> {
	const { log } = engine;
	const found = log.search.find({ text, session, order: "ranked", limit, offset });
	const hits: SearchHit[] = [];
	for (const { seq, role, tool, ts, snippet, session: of } of found.hits) {
		const record = log.get(seq);
		if (!record) continue;
		let shown = snippet;
		if (mask) {
			const whole = readEventText(log, record, { raw: false, offset: 0, limit: Number.POSITIVE_INFINITY }).text;
			shown = await maskedSnippet(whole, text, snippet, mask);
		}
		hits.push({ seq, handle: handleOf(record), session: of, role, tool: tool ?? null, ts, snippet: shown });
	}
	const words = text.toLowerCase();
	const files = Object.values(engine.state().state.files.files)
		.filter(({ path }) => path.toLowerCase().includes(words))
		.sort((one, other) => lastOf(other) - lastOf(one))
		.slice(0, MAX_FILES)
		.map((file) => ({ path: file.path, reads: file.reads, changes: file.changes, lastSeq: lastOf(file) }));
	return { text, hits, searched: found.scanned, complete: found.complete, next: found.next ?? null, files };
}

function lastOf({
	lastReadSeq,
	lastChangeSeq,
}: {
	readonly lastReadSeq: number;
	readonly lastChangeSeq: number;
}): number {
	return Math.max(lastReadSeq, lastChangeSeq);
}

async function maskedSnippet(
	whole: string,
	text: string,
	snippet: string,
	mask: (text: string) => Promise<string>,
): Promise<string> {
	const [word = ""] = text.toLowerCase().split(/\s+/);
	const at = Math.max(0, whole.toLowerCase().indexOf(word));
	const from = Math.max(0, at - MASKED_CHARS / 2);
	const part = whole.slice(from, from + MASKED_CHARS);
	const masked = await mask(part);
	if (masked === part) return snippet;
	const place = Math.max(0, masked.toLowerCase().indexOf(word));
	return cutWithEllipsis(
		oneLine(masked.slice(Math.max(0, place - AROUND_CHARS / 3), place + AROUND_CHARS)),
		AROUND_CHARS,
	);
}
