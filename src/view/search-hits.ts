/** Search hits, one line each, with their matches highlighted. */
import { formatCount, plural } from "../base/text/bytes.ts";
import { cutToWidth, cutWithEllipsis, textWidth } from "../base/text/cut.ts";
import { oneLine, printable } from "../base/text/printable.ts";
import { type Column, renderTable } from "../base/text/table.ts";
import { formatTime } from "../base/text/time.ts";
import { wrapWords } from "../base/text/wrap.ts";
import type { Engine } from "../engine.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { Hit, TextRange } from "../log/search/types.ts";
import { listSessions } from "../state/session/find-session.ts";
import { readEventText } from "./event.ts";
import { shortSession } from "./short-session.ts";
import type { TextStyle } from "./text-style.ts";

/** A page of hits, of any kind of search. */
export interface HitPage {
	readonly hits: readonly Hit[];
	/** How many texts were searched, of how many. */
	readonly scanned: number;
	readonly total: number;
	/** How many hits there are in all; undefined: there may be more. */
	readonly found?: number | undefined;
	readonly complete: boolean;
	/** Events that could not be indexed, and so were not searched. */
	readonly behind: number;
	/** The option that shows the next page, if there is one. */
	readonly goOn?: string | undefined;
}

/** A session as a hit names it. */
export interface HitSession {
	readonly title: string | null;
	/** The agent. */
	readonly host: string;
}

/** The session of each hit in a log, by its id. */
export function hitSessions(log: Log): (session: string) => HitSession | undefined {
	const sessions = new Map(listSessions(log).map(({ session, title, host }) => [session, { title, host }]));
	return (session) => sessions.get(session);
}

/** The JSON of `weft grep`. */
export function viewHits(
	{ hits, scanned, total, found, complete, behind, goOn }: HitPage,
	ms: number,
	sessionOf: (session: string) => HitSession | undefined,
): object {
	return {
		hits: hits.map(({ seq, id, session, role, tool, ts, snippet }) => {
			const { title = null, host: agent = null } = sessionOf(session) ?? {};
			return { seq, id, session, title, agent, role, tool, ts, time: new Date(ts).toISOString(), snippet };
		}),
		found: found ?? null,
		scanned,
		total,
		complete,
		behind: behind === 0 ? undefined : behind,
		goOn,
		ms: Math.round(ms),
	};
}

/** Remarks for the person. */
export function* hitRemarks({ hits, scanned, total, complete, behind, goOn }: HitPage): Generator<string> {
	const searched = scanned < total ? `${formatCount(scanned)} of ${plural(total, "text")}` : plural(scanned, "text");
	if (hits.length === 0) yield `Nothing found in ${searched} searched.`;
	// Without a whole index the result is incomplete too; the last remark says so.
	if (!complete && hits.length === 0 && (behind === 0 || scanned < total))
		yield "The time limit ended the search early.";
	if (goOn) yield `There may be more: ${formatCount(hits.length)} shown, ${searched} searched. Continue with ${goOn}`;
	if (behind > 0) {
		const they = behind === 1 ? "was not searched: it is" : "were not searched: they are";
		yield `${plural(behind, "event")} ${they} not in the index, and the log cannot be written here.`;
	}
}

const MIN_SNIPPET_COLUMNS = 60;

/** Hits under the titles of their sessions, in their own order: a title comes again where hits of two sessions alternate. */
export function* renderTitledHits(
	hits: readonly Hit[],
	style: TextStyle,
	sessionOf: (session: string) => HitSession | undefined,
): Generator<string> {
	for (let at = 0; at < hits.length; ) {
		const { session = "" } = hits[at] ?? {};
		const end = hits.findIndex((hit, place) => place > at && hit.session !== session);
		const group = hits.slice(at, end === -1 ? undefined : end);
		const { title, host } = sessionOf(session) ?? {};
		const facts = [shortSession(session), host].filter(Boolean).join(", ");
		const room = (style.columns ?? MAX_TITLE_COLUMNS) - textWidth(facts) - 2;
		const words = cutToWidth(oneLine(title ?? ""), Math.max(MIN_TITLE_COLUMNS, room));
		yield `${words === "" ? "" : `${style.paint("bold", words)}  `}${style.paint("dim", oneLine(facts))}`;
		yield* renderHits(group, style, (hit) => [String(hit.seq), formatTime(hit.ts), "", speakerOf(hit)]);
		at += group.length;
	}
}

const MAX_TITLE_COLUMNS = 100;
const MIN_TITLE_COLUMNS = 20;

/** On a narrow screen the snippet gets its own line. */
export function* renderHits<Shown extends Hit>(
	hits: readonly Shown[],
	style: TextStyle,
	/** The cells before the snippet: event, time, session or nothing, speaker. */
	cellsOf: (hit: Shown) => readonly [string, string, string, string],
): Generator<string> {
	const dim = (cell: string): string => style.paint("dim", cell);
	const cells = hits.map(cellsOf);
	const hasSession = cells.some(([, , session]) => session !== "");
	const columns: readonly Column[] = [
		{ title: "", align: "right", paint: (cell: string) => style.paint("cyan", cell) },
		{ title: "", paint: dim },
		...(hasSession ? [{ title: "", paint: dim }] : []),
		{ title: "", paint: (cell: string) => style.paint("green", cell) },
		{ title: "" },
	];
	// A placeholder in the last column makes the table pad the one before it.
	const rows = cells.map(([event, time, session, who]) => [event, time, ...(hasSession ? [session] : []), who, "|"]);
	const heads = renderTable(columns, rows, { style: "bare" }).map((head) => head.replace(/\|$/, ""));
	const widest = Math.max(
		0,
		...rows.map((row) => row.slice(0, -1).reduce((sum, cell) => sum + textWidth(cell) + 2, 0)),
	);
	const room = (style.columns ?? Number.POSITIVE_INFINITY) - widest;
	for (const [at, hit] of hits.entries()) {
		const head = heads[at] ?? "";
		const snippet = markedSnippet(hit, style);
		if (style.columns === undefined) yield head + snippet;
		else if (room < MIN_SNIPPET_COLUMNS) yield* [head.trimEnd(), ...wrapWords(`  ${snippet}`, style.columns, "")];
		else {
			const [first = "", ...more] = wrapWords(snippet, room, "");
			yield head + first;
			for (const line of more) yield " ".repeat(widest) + line;
		}
	}
}

export function speakerOf({ role, tool }: Hit): string {
	return oneLine(tool ? `${role} ${tool}` : role);
}

function markedSnippet({ snippet, ranges }: Hit, style: TextStyle): string {
	let line = "";
	let at = 0;
	for (const { start, end } of ranges) {
		line += printable(snippet.slice(at, start)) + style.mark(printable(snippet.slice(start, end)));
		at = end;
	}
	return (line + printable(snippet.slice(at))).replace(/\s+/g, " ");
}

export interface SearchHit extends HitSession {
	readonly seq: number;
	readonly handle: string;
	readonly session: string;
	readonly role: string;
	readonly tool: string | null;
	readonly ts: number;
	readonly snippet: string;
	/** The matches inside the snippet; empty where masking has changed it. */
	readonly ranges: readonly TextRange[];
	/** Higher is better. */
	readonly score: number;
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

interface SearchPageOptions {
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

/** Searches messages and results by their words, and files by their path. */
export async function viewSearch(
	engine: Engine,
	text: string,
	{ session, offset, limit, mask }: SearchPageOptions,
): Promise<SearchView> {
	const { log } = engine;
	const found = log.search.find({ text, session, order: "ranked", limit, offset });
	const sessionOf = hitSessions(log);
	const hits: SearchHit[] = [];
	for (const { seq, role, tool, ts, snippet, session: of, ranges, score } of found.hits) {
		const record = log.get(seq);
		if (!record) continue;
		let shown = snippet;
		if (mask) {
			const whole = readEventText(log, record, { raw: false, offset: 0, limit: Number.POSITIVE_INFINITY }).text;
			shown = await maskedSnippet(whole, text, snippet, mask);
		}
		const named = sessionOf(of) ?? { title: null, host: record.host };
		const shownRanges = shown === snippet ? ranges : [];
		const handle = handleOf(record);
		hits.push({
			...named,
			seq,
			handle,
			session: of,
			role,
			tool: tool ?? null,
			ts,
			snippet: shown,
			ranges: shownRanges,
			score,
		});
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
