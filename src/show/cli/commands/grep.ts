import { EngineError } from "../../../base/error/engine-error.ts";
import { plural } from "../../../base/text/bytes.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { searchNames } from "../../../log/counts.ts";
import type { Log } from "../../../log/log.ts";
import type { SearchFilters } from "../../../log/search/types.ts";
import { findNamedSession, listSessions, sessionsNamed } from "../../../state/session/find-session.ts";
import { isAgents } from "../../../state/session/session-state.ts";
import { eventFile } from "../../../view/event.ts";
import { type HitPage, hitRemarks, hitSessions, renderTitledHits, viewHits } from "../../../view/search-hits.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";
import { withLogOf } from "../named-session.ts";

type GrepOptions = Call<"grep">["options"];

export async function run(call: Call<"grep">): Promise<CommandResult | ExitCode> {
	const started = performance.now();
	if (call.options.all) return searchAll(call, started);
	const { context, args, options } = call;
	return withLogOf(context, options.session, async ({ log, project }) => {
		const page = await search(log, args.join(" "), readFilters(context, log, project.root, options), options);
		if (page.hits.length === 0) refuseUnknown([namesIn(log)], options);
		const sessionOf = hitSessions(log);
		return {
			data: viewHits(page, performance.now() - started, sessionOf),
			lines: (out) => renderTitledHits(page.hits, out, sessionOf),
			remarks: hitRemarks(page),
			// As grep does, and unlike our other commands.
			code: page.hits.length > 0 ? EXIT.ok : EXIT.failed,
		};
	});
}

/** Searches every project's log, the one last written first. Prints the hits of each before it searches the next. */
async function searchAll({ context, out, args, options }: Call<"grep">, started: number): Promise<ExitCode> {
	const projects: { readonly project: string; readonly hits: object }[] = [];
	const names: SearchNames[] = [];
	let [found, scanned] = [0, 0];
	for (const { log, root } of context.searchAll()) {
		if (options.session !== undefined && sessionsNamed(listSessions(log), options.session).length === 0) continue;
		const page = await search(log, args.join(" "), readFilters(context, log, root, options), options);
		found += page.hits.length;
		scanned += page.scanned;
		const isNamed = [options.role, options.tool, options.agent].some((each) => each !== undefined);
		if (found === 0 && isNamed) names.push(namesIn(log));
		if (page.hits.length === 0) continue;
		const sessionOf = hitSessions(log);
		if (out.json) projects.push({ project: root, hits: viewHits(page, performance.now() - started, sessionOf) });
		else {
			await out.line(out.paint("bold", oneLine(root)));
			await out.lines(renderTitledHits(page.hits, out, sessionOf));
			if (page.goOn) out.talk(`There may be more: weft grep … --project ${oneLine(root)} ${page.goOn}`);
		}
	}
	if (found === 0) refuseUnknown(names, options);
	if (out.json) await out.document({ projects, found, scanned, ms: Math.round(performance.now() - started) });
	else if (found === 0) out.talk(`Nothing found in ${plural(scanned, "text")} searched.`);
	return found > 0 ? EXIT.ok : EXIT.failed;
}

export function check({ args, options }: CheckCall<"grep">): void {
	const { regex, recent, offset, before, ignoreCase, all, file, path } = options;
	if (file !== undefined && path !== undefined)
		throw new EngineError("usage", "--path and --file are the same: give one of them.");
	if (all && (offset !== undefined || before !== undefined)) {
		throw new EngineError("usage", "--offset and --before continue in one project: use --project instead of --all.");
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
	const { role, tool, path, file = path, session, agent, since, until } = options;
	const ofAgent = listSessions(log).flatMap((each) => (each.host === agent ? [each.session] : []));
	return {
		...(agent !== undefined && { within: { only: ofAgent } }),
		role,
		tool,
		file: file === undefined ? undefined : eventFile(file, context.cwd, root),
		session: findNamedSession(log, session)?.session,
		since,
		until,
	};
}

async function search(log: Log, text: string, filters: SearchFilters, options: GrepOptions): Promise<HitPage> {
	const { regex, ignoreCase, thinking, recent, limit, offset = 0, before } = options;
	if (regex !== undefined) {
		const query = { ...filters, pattern: regex, ignoreCase, thinking, limit, beforeSeq: before };
		const { next, ...page } = await log.search.findRegex(query);
		const isAll = next === undefined && page.complete && before === undefined;
		const found = isAll ? page.hits.length : undefined;
		return { ...page, found, goOn: next === undefined ? undefined : `--before ${next}` };
	}
	const order = recent ? "recent" : "ranked";
	const { next, ...page } = await log.search.find({ ...filters, text, thinking, order, limit, offset });
	const found = next === undefined && page.complete ? offset + page.hits.length : undefined;
	return { ...page, total: page.scanned, found, goOn: next === undefined ? undefined : `--offset ${next}` };
}

type SearchNames = ReturnType<typeof namesIn>;

function namesIn(log: Log) {
	return {
		...searchNames(log),
		agents: listSessions(log)
			.filter(isAgents)
			.map(({ host }) => host),
	};
}

/** Refuses a role, a tool or an agent that no event in the logs has: it is a typing mistake. */
function refuseUnknown(
	names: readonly SearchNames[],
	{ role, tool, agent }: Pick<GrepOptions, "role" | "tool" | "agent">,
): void {
	for (const [flag, given, all] of [
		["--role", role, names.flatMap(({ roles }) => roles)],
		["--tool", tool, names.flatMap(({ tools }) => tools)],
		["--agent", agent, names.flatMap(({ agents }) => agents)],
	] as const) {
		const known = [...new Set(all)].sort();
		if (given === undefined || known.length === 0 || known.includes(given)) continue;
		const where = names.length === 1 ? "This log has" : "These logs have";
		throw new EngineError("usage", `Unknown ${flag} '${given}'. ${where} ${known.join(", ")}.`);
	}
}
