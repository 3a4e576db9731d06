import { EngineError } from "../../error/engine-error.ts";
import type { Log } from "../../log/log.ts";
import type { Hit, SearchFilters } from "../../log/search/types.ts";
import { formatCount, plural } from "../../text/bytes.ts";
import { eventFile } from "../../view/file.ts";
import { renderHits } from "../../view/hits.ts";
import { findSession } from "../../view/session.ts";
import { pointInTime, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";

const DEFAULT_LIMIT = 20;

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
	readonly total?: number | undefined;
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
		await context.out.lines(renderHits(answer.hits, context.out));
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
		throw new EngineError(
			"usage",
			"With --regex, continue with --before SEQ, as the last page says, not with --offset.",
		);
	}
	if (regex === undefined && before !== undefined)
		throw new EngineError("usage", "--before works only with --regex. With words, use --offset.");
	if (regex === undefined && ignoreCase)
		throw new EngineError("usage", "--ignore-case works only with --regex. Words match in any case.");
	if (regex !== undefined && recent)
		throw new EngineError("usage", "--regex always shows the newest first. Omit --recent.");
}

function readFilters(context: Context, log: Log, root: string, options: GrepOptions): SearchFilters {
	const now = context.now();
	const since = pointInTime("--since", options.since, now);
	const until = pointInTime("--until", options.until, now);
	const { role, tool, file, session } = options;
	return {
		role,
		tool,
		file: file === undefined ? undefined : eventFile(file, context.cwd, root),
		session: session === undefined ? undefined : findSession(log, session).session,
		since,
		until,
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
	const { next, ...answer } = await log.search.findRegex({
		...filters,
		pattern: options.regex ?? "",
		ignoreCase: options.ignoreCase ?? false,
		thinking: options.thinking ?? false,
		limit: wholeNumber("--limit", options.limit, 1) ?? DEFAULT_LIMIT,
		beforeSeq: wholeNumber("--before", options.before, 1),
	});
	return { ...answer, goOn: next === undefined ? undefined : `--before ${next}` };
}

function toJson({ hits, scanned, complete, total, behind, goOn }: Answer): object {
	return {
		hits: hits.map(({ seq, id, session, role, snippet }) => ({ seq, id, session, role, snippet })),
		scanned,
		complete,
		total,
		behind: behind === 0 ? undefined : behind,
		goOn,
	};
}

function* remarks(answer: Answer): Generator<string> {
	const { hits, scanned, total = scanned } = answer;
	const searched =
		scanned < total ? `${formatCount(scanned)} of ${plural(total, "message")}` : plural(scanned, "message");
	if (hits.length === 0) yield `Nothing found in ${searched} that ${scanned === 1 ? "was" : "were"} searched.`;
	if (!answer.complete && hits.length === 0) yield "Time was up before all were searched.";
	if (answer.goOn)
		yield `There may be more: ${formatCount(hits.length)} shown, ${searched} searched. Continue with ${answer.goOn}`;
	if (answer.behind > 0)
		yield `${plural(answer.behind, "event")} were not searched: the log cannot be written here, so they are not indexed.`;
}
