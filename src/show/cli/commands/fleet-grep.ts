import { EngineError } from "../../../base/error/engine-error.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { formatTime } from "../../../base/text/time.ts";
import { type FleetHit, grepFleet } from "../../../fleet/grep.ts";
import { withSummaries } from "../../../state/history/searchable.ts";
import { searchable } from "../../../state/session/searchable.ts";
import { eventFile } from "../../../view/event-file.ts";
import { renderHits, speakerOf } from "../../../view/search-hits.ts";
import { shortSession } from "../../../view/short-session.ts";
import { EXIT } from "../exit-code.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";
import { askedProject } from "../open-fleet.ts";

export function check({ args }: CheckCall<"fleet grep">): void {
	if (args.length === 0) throw new EngineError("usage", "Say what to find: weft fleet grep TEXT.");
}

export async function run({ context, engine, connection, args, options }: Call<"fleet grep">): Promise<CommandResult> {
	const started = performance.now();
	const { file, all, recent, ...filters } = options;
	const query = {
		...filters,
		text: args.join(" "),
		project: await askedProject(engine, all),
		file: file === undefined ? undefined : eventFile(file, context.cwd, engine.project.root),
		order: recent ? "recent" : "ranked",
	} as const;
	const { hits, next } = await grepFleet(connection, query, withSummaries(searchable));
	return {
		data: { hits, next, ms: Math.round(performance.now() - started) },
		lines: (out) => renderHits(hits, out, cellsOf),
		remarks: [
			...(hits.length > 0
				? []
				: ["Nothing found in the fleet. It finds whole words, their forms and parts of identifiers."]),
			...(next === undefined ? [] : [`There may be more. Continue with --offset ${next}`]),
		],
		code: hits.length > 0 ? EXIT.ok : EXIT.failed,
	};
}

function cellsOf(hit: FleetHit): readonly [string, string, string, string] {
	const whose = `${oneLine(hit.person)}@${oneLine(hit.machine)} ${oneLine(shortSession(hit.session))}`;
	return [hit.handle, formatTime(hit.ts), whose, speakerOf(hit)];
}
