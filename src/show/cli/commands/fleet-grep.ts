import { EngineError } from "../../../base/error/engine-error.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { formatTime } from "../../../base/text/time.ts";
import { type FleetHit, grepFleet } from "../../../fleet/grep.ts";
import { withSummaries } from "../../../state/history/searchable.ts";
import { searchable } from "../../../state/session/searchable.ts";
import { eventFile } from "../../../view/file.ts";
import { renderHits, speakerOf } from "../../../view/hits.ts";
import { shortSession } from "../../../view/short-session.ts";
import { pointInTime, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { askedProject, withFleet } from "../fleet.ts";

export interface FleetGrepOptions {
	readonly role?: string;
	readonly tool?: string;
	readonly file?: string;
	readonly session?: string;
	readonly machine?: string;
	readonly person?: string;
	readonly since?: string;
	readonly until?: string;
	readonly thinking?: boolean;
	readonly recent?: boolean;
	readonly limit?: string;
	readonly offset?: string;
	readonly all?: boolean;
}

export async function run(context: Context, args: readonly string[], options: FleetGrepOptions): Promise<ExitCode> {
	if (args.length === 0) throw new EngineError("usage", "Say what to find: weft fleet grep TEXT.");
	return withFleet(context, async ({ engine, connection }) => {
		const { out } = context;
		const started = performance.now();
		const { role, tool, file, session, machine, person } = options;
		const { hits, next } = await grepFleet(
			connection,
			{
				text: args.join(" "),
				project: await askedProject(engine, options.all),
				role,
				tool,
				session,
				machine,
				person,
				file: file === undefined ? undefined : eventFile(file, context.cwd, engine.project.root),
				since: pointInTime("--since", options.since, context.now()),
				until: pointInTime("--until", options.until, context.now()),
				thinking: options.thinking ?? false,
				order: options.recent ? "recent" : "ranked",
				limit: wholeNumber("--limit", options.limit, 1),
				offset: wholeNumber("--offset", options.offset),
			},
			withSummaries(searchable),
		);
		if (out.json) await out.document({ hits, next, ms: Math.round(performance.now() - started) });
		else {
			await out.lines(renderHits(hits, out, cellsOf));
			if (hits.length === 0)
				out.talk("Nothing found in the fleet. It finds whole words, their forms and parts of identifiers.");
			if (next !== undefined) out.talk(`There may be more. Continue with --offset ${next}`);
		}
		return hits.length > 0 ? EXIT.ok : EXIT.failed;
	});
}

function cellsOf(hit: FleetHit): readonly [string, string, string, string] {
	const whose = `${oneLine(hit.person)}@${oneLine(hit.machine)} ${oneLine(shortSession(hit.session))}`;
	return [hit.handle, formatTime(hit.ts), whose, speakerOf(hit)];
}
