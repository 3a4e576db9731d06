import { EngineError } from "../../error/engine-error.ts";
import type { Log } from "../../log/log.ts";
import type { Hit, SearchFilters } from "../../log/search/types.ts";
import { formatCount, plural } from "../../text/bytes.ts";
import { oneLine, printable } from "../../text/printable.ts";
import { renderTable } from "../../text/table.ts";
import { formatTime } from "../../text/time.ts";
import { textWidth } from "../../text/truncate.ts";
import { eventFile } from "../../view/file.ts";
import { findSession, shortSession } from "../../view/session.ts";
import { pointInTime, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import type { Output } from "../output.ts";

const DEFAULT_LIMIT = 20;
const LEAST_SNIPPET_COLUMNS = 60;

export interface GrepOptions {
	readonly regex?: string;
	readonly ignoreCase?: boolean;
	readonly role?: string;
	readonly tool?: string;
	readonly file?: string;
	readonly session?: string;
	readonly since?: string;
	readonly until?: string;
	readonly thinking?: boolean;
	readonly recent?: boolean;
	readonly limit?: string;
	readonly offset?: string;
	readonly before?: string;
}

/** What both kinds of search answer. */
interface Answer {
	readonly hits: readonly Hit[];
	readonly scanned: number;
	readonly complete: boolean;
	readonly behind: number;
	/** The option that shows more, if there is more. */
	readonly goOn?: string | undefined;
	readonly total?: number;
}

export async function run(context: Context, args: readonly string[], options: GrepOptions): Promise<void> {
	refuseUnclear(args, options);
	const engine = context.openExisting();
	try {
		const { log } = engine;
		const filters = readFilters(context, log, engine.project.root, options);
		const answer =
			options.regex === undefined
				? await find(log, args.join(" "), filters, options)
				: await findRegex(log, filters, options);
		if (context.out.json) return await context.out.document(toJson(answer));
		await context.out.lines(hitLines(context.out, answer.hits));
		for (const line of remarks(answer)) context.out.talk(line);
	} finally {
		engine.close();
	}
}

function refuseUnclear(args: readonly string[], { regex, recent, offset, before, ignoreCase }: GrepOptions): void {
	if (regex === undefined && args.length === 0) {
		throw new EngineError("usage", "Say what to find: weft grep TEXT, or weft grep --regex PATTERN.");
	}
	if (regex !== undefined && args.length > 0) {
		throw new EngineError("usage", "Give either words or --regex, not both. A pattern with spaces needs quotes.");
	}
	if (regex !== undefined && offset !== undefined) {
		throw new EngineError("usage", "With --regex go on by --before SEQ, as the last page says, not by --offset.");
	}
	if (regex === undefined && before !== undefined)
		throw new EngineError("usage", "--before goes with --regex; words take --offset.");
	if (regex === undefined && ignoreCase)
		throw new EngineError("usage", "--ignore-case goes with --regex; words never mind the case.");
	if (regex !== undefined && recent)
		throw new EngineError("usage", "--regex answers newest first anyway; leave --recent away.");
}

function readFilters(context: Context, log: Log, root: string, options: GrepOptions): SearchFilters {
	const now = context.now();
	const since = pointInTime("--since", options.since, now);
	const until = pointInTime("--until", options.until, now);
	return {
		...(options.role === undefined ? {} : { role: options.role }),
		...(options.tool === undefined ? {} : { tool: options.tool }),
		...(options.file === undefined ? {} : { file: eventFile(options.file, context.cwd, root) }),
		...(options.session === undefined ? {} : { session: findSession(log, options.session).session }),
		...(since === undefined ? {} : { since }),
		...(until === undefined ? {} : { until }),
	};
}

async function find(log: Log, text: string, filters: SearchFilters, options: GrepOptions): Promise<Answer> {
	const offset = wholeNumber("--offset", options.offset) ?? 0;
	const { next, ...answer } = await log.search.find({
		...filters,
		text,
		thinking: options.thinking ?? false,
		order: options.recent ? "recent" : "ranked",
		limit: wholeNumber("--limit", options.limit, 1) ?? DEFAULT_LIMIT,
		offset,
	});
	return { ...answer, goOn: next === undefined ? undefined : `--offset ${next}` };
}

async function findRegex(log: Log, filters: SearchFilters, options: GrepOptions): Promise<Answer> {
	const beforeSeq = wholeNumber("--before", options.before, 1);
	const { next, ...answer } = await log.search.findRegex({
		...filters,
		pattern: options.regex ?? "",
		ignoreCase: options.ignoreCase ?? false,
		thinking: options.thinking ?? false,
		limit: wholeNumber("--limit", options.limit, 1) ?? DEFAULT_LIMIT,
		...(beforeSeq === undefined ? {} : { beforeSeq }),
	});
	return { ...answer, goOn: next === undefined ? undefined : `--before ${next}` };
}

function toJson({ hits, scanned, complete, total, behind, goOn }: Answer): object {
	return {
		hits: hits.map(({ seq, id, session, role, snippet }) => ({ seq, id, session, role, snippet })),
		scanned,
		complete,
		...(total === undefined ? {} : { total }),
		...(behind === 0 ? {} : { behind }),
		...(goOn === undefined ? {} : { goOn }),
	};
}

/** A line per hit; on a narrow terminal the snippet stands on a line of its own, where it has room. */
export function* hitLines(out: Output, hits: readonly Hit[]): Generator<string> {
	const dim = (cell: string): string => out.paint("dim", cell);
	const columns = [
		{ title: "", align: "right", paint: (cell: string) => out.paint("cyan", cell) },
		{ title: "", paint: dim },
		{ title: "", paint: dim },
		{ title: "", paint: (cell: string) => out.paint("green", cell) },
		{ title: "" },
	] as const;
	const rows = hits.map((hit) => [
		String(hit.seq),
		formatTime(hit.ts),
		oneLine(shortSession(hit.session)),
		oneLine(hit.tool ? `${hit.role} ${hit.tool}` : hit.role),
		// Holds the last column's place, so that the one before it is padded.
		"|",
	]);
	const heads = renderTable(columns, rows, { style: "bare" }).map((head) => head.replace(/\|$/, ""));
	const widest = Math.max(...rows.map((row) => row.reduce((sum, cell) => sum + textWidth(cell) + 2, 0)));
	const apart = (out.columns ?? Number.POSITIVE_INFINITY) - widest < LEAST_SNIPPET_COLUMNS;
	for (const [at, hit] of hits.entries()) {
		const head = heads[at] ?? "";
		if (!apart) yield head + marked(out, hit);
		else yield* [head.trimEnd(), `  ${marked(out, hit)}`];
	}
}

/** The snippet with its matches in colour, or between « and » where there is none. */
function marked(out: Output, { snippet, ranges }: Hit): string {
	let line = "";
	let at = 0;
	for (const { start, end } of ranges) {
		line += printable(snippet.slice(at, start)) + out.mark(printable(snippet.slice(start, end)));
		at = end;
	}
	return (line + printable(snippet.slice(at))).replace(/\s+/g, " ");
}

function* remarks(answer: Answer): Generator<string> {
	const { hits, scanned, total = scanned } = answer;
	const searched =
		scanned < total ? `${formatCount(scanned)} of ${plural(total, "message")}` : plural(scanned, "message");
	if (hits.length === 0) yield `Nothing found in ${searched} that ${scanned === 1 ? "was" : "were"} searched.`;
	if (!answer.complete && hits.length === 0) yield "Time was up before all were searched.";
	if (answer.goOn)
		yield `There may be more: ${formatCount(hits.length)} shown, ${searched} searched. Go on with ${answer.goOn}`;
	if (answer.behind > 0)
		yield `${plural(answer.behind, "event")} could not be indexed and searched: the log cannot be written here.`;
}
