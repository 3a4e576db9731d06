import { EngineError } from "../../../base/error/engine-error.ts";
import { plural } from "../../../base/text/bytes.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { searchNames } from "../../../log/counts.ts";
import type { Log } from "../../../log/log.ts";
import type { SearchFilters } from "../../../log/search/types.ts";
import { findSession, isNamedBy } from "../../../state/session/find-session.ts";
import { listSessions } from "../../../state/session/sessions.ts";
import { eventFile } from "../../../view/file.ts";
import { type HitPage, hitRemarks, renderHits, viewHits } from "../../../view/hits.ts";
import { pointInTime, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";

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
	readonly all?: boolean;
}

export async function run(context: Context, args: readonly string[], options: GrepOptions): Promise<ExitCode> {
	refuseUnclear(args, options);
	const started = performance.now();
	if (options.all) return searchAll(context, args.join(" "), options, started);
	const engine = context.openExisting();
	try {
		const { log } = engine;
		const filters = readFilters(context, log, engine.project.root, options);
		const answer =
			options.regex === undefined
				? await find(log, args.join(" "), filters, options)
				: await findRegex(log, filters, options);
		if (answer.hits.length === 0) refuseUnknown([searchNames(log)], filters);
		if (context.out.json) await context.out.document(viewHits(answer, performance.now() - started));
		else {
			await context.out.lines(renderHits(answer.hits, context.out));
			for (const line of hitRemarks(answer)) context.out.talk(line);
		}
		// As grep does, and unlike our other commands: found nothing is 1.
		return answer.hits.length > 0 ? EXIT.ok : EXIT.failed;
	} finally {
		engine.close();
	}
}

/** Every project's log, the one written last first. What is found is shown before the next one is searched. */
async function searchAll(context: Context, text: string, options: GrepOptions, started: number): Promise<ExitCode> {
	const { out } = context;
	const projects: { readonly project: string; readonly hits: object }[] = [];
	const names: SearchNames[] = [];
	let [found, scanned] = [0, 0];
	for (const { log, root } of context.searchAll()) {
		if (options.session !== undefined && !hasSession(log, options.session)) continue;
		const filters = readFilters(context, log, root, options);
		const answer =
			options.regex === undefined ? await find(log, text, filters, options) : await findRegex(log, filters, options);
		found += answer.hits.length;
		scanned += answer.scanned;
		if (found === 0 && (options.role !== undefined || options.tool !== undefined)) names.push(searchNames(log));
		if (answer.hits.length === 0) continue;
		if (out.json) projects.push({ project: root, hits: viewHits(answer, performance.now() - started) });
		else {
			await out.line(out.paint("bold", oneLine(root)));
			await out.lines(renderHits(answer.hits, out));
			if (answer.goOn) out.talk(`There may be more: weft grep … --project ${oneLine(root)} ${answer.goOn}`);
		}
	}
	if (found === 0) refuseUnknown(names, options);
	if (out.json) await out.document({ projects, found, scanned, ms: Math.round(performance.now() - started) });
	else if (found === 0) out.talk(`Nothing found in ${plural(scanned, "text")} that were searched.`);
	return found > 0 ? EXIT.ok : EXIT.failed;
}

function hasSession(log: Log, start: string): boolean {
	return listSessions(log).some(({ session }) => isNamedBy(session, start));
}

function refuseUnclear(args: readonly string[], options: GrepOptions): void {
	const { regex, recent, offset, before, ignoreCase, all } = options;
	if (all && (offset !== undefined || before !== undefined)) {
		throw new EngineError("usage", "--offset and --before go on in one project: use --project instead of --all.");
	}
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

async function find(log: Log, text: string, filters: SearchFilters, options: GrepOptions): Promise<HitPage> {
	const offset = wholeNumber("--offset", options.offset) ?? 0;
	const { next, ...answer } = await log.search.find({
		...filters,
		text,
		thinking: options.thinking ?? false,
		order: options.recent ? "recent" : "ranked",
		limit: wholeNumber("--limit", options.limit, 1) ?? DEFAULT_LIMIT,
		offset,
	});
	const found = next === undefined && answer.complete ? offset + answer.hits.length : undefined;
	return { ...answer, total: answer.scanned, found, goOn: next === undefined ? undefined : `--offset ${next}` };
}

async function findRegex(log: Log, filters: SearchFilters, options: GrepOptions): Promise<HitPage> {
	const { next, ...answer } = await log.search.findRegex({
		...filters,
		pattern: options.regex ?? "",
		ignoreCase: options.ignoreCase ?? false,
		thinking: options.thinking ?? false,
		limit: wholeNumber("--limit", options.limit, 1) ?? DEFAULT_LIMIT,
		beforeSeq: wholeNumber("--before", options.before, 1),
	});
	const isWhole = next === undefined && answer.complete && options.before === undefined;
	const found = isWhole ? answer.hits.length : undefined;
	return { ...answer, found, goOn: next === undefined ? undefined : `--before ${next}` };
}

type SearchNames = ReturnType<typeof searchNames>;

/** A role or a tool that nothing in the logs has is a slip of the pen. */
function refuseUnknown(names: readonly SearchNames[], { role, tool }: Pick<SearchFilters, "role" | "tool">): void {
	for (const [flag, given, all] of [
		["--role", role, names.flatMap(({ roles }) => roles)],
		["--tool", tool, names.flatMap(({ tools }) => tools)],
	] as const) {
		const known = [...new Set(all)].sort();
		if (given === undefined || known.length === 0 || known.includes(given)) continue;
		const where = names.length === 1 ? "in this log" : "in these logs";
		throw new EngineError("usage", `${flag} takes one of those ${where}, not '${given}': ${known.join(", ")}.`);
	}
}
