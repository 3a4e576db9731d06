/** What a search found: a line for each hit, its matches marked. */

import { formatCount, plural } from "../base/text/bytes.ts";
import { textWidth } from "../base/text/cut.ts";
import { oneLine, printable } from "../base/text/printable.ts";
import { renderTable } from "../base/text/table.ts";
import { formatTime } from "../base/text/time.ts";
import { wrapWords } from "../base/text/wrap.ts";
import type { Hit } from "../log/search/types.ts";
import { shortSession } from "./short-session.ts";
import type { TextStyle } from "./text-style.ts";

/** A page of what a search found, whichever kind of search it was. */
export interface HitPage {
	readonly hits: readonly Hit[];
	/** How many messages were searched, of how many. */
	readonly scanned: number;
	readonly total: number;
	/** How many hits there are in all; undefined: there may be more. */
	readonly found?: number | undefined;
	readonly complete: boolean;
	/** Events that could not be indexed, and so were not searched. */
	readonly behind: number;
	/** The option that shows more, if there is more. */
	readonly goOn?: string | undefined;
}

/** What `weft grep --json` prints. */
export function viewHits({ hits, scanned, total, found, complete, behind, goOn }: HitPage, ms: number): object {
	return {
		hits: hits.map(({ seq, id, session, role, tool, ts, snippet }) => {
			return { seq, id, session, role, tool, ts, time: new Date(ts).toISOString(), snippet };
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

/** For the person, beside the hits. */
export function* hitRemarks({ hits, scanned, total, complete, behind, goOn }: HitPage): Generator<string> {
	const searched = scanned < total ? `${formatCount(scanned)} of ${plural(total, "text")}` : plural(scanned, "text");
	if (hits.length === 0) yield `Nothing found in ${searched} that ${scanned === 1 ? "was" : "were"} searched.`;
	if (!complete && hits.length === 0) yield "Time was up before all were searched.";
	if (goOn) yield `There may be more: ${formatCount(hits.length)} shown, ${searched} searched. Continue with ${goOn}`;
	if (behind > 0)
		yield `${plural(behind, "event")} were not searched: the log cannot be written here, so they are not indexed.`;
}

const MIN_SNIPPET_COLUMNS = 60;

/** On a narrow screen the snippet stands on a line of its own, where it has room. */
export function* renderHits<Shown extends Hit>(
	hits: readonly Shown[],
	style: TextStyle,
	/** What stands before the snippet: which event, when, whose, who said it. */
	cellsOf: (hit: Shown) => readonly [string, string, string, string] = localCells,
): Generator<string> {
	const dim = (cell: string): string => style.paint("dim", cell);
	const columns = [
		{ title: "", align: "right", paint: (cell: string) => style.paint("cyan", cell) },
		{ title: "", paint: dim },
		{ title: "", paint: dim },
		{ title: "", paint: (cell: string) => style.paint("green", cell) },
		{ title: "" },
	] as const;
	// The last one holds its column's place, so that the one before it is padded.
	const rows = hits.map((hit) => [...cellsOf(hit), "|"]);
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

function localCells(hit: Hit): readonly [string, string, string, string] {
	return [String(hit.seq), formatTime(hit.ts), oneLine(shortSession(hit.session)), speakerOf(hit)];
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
