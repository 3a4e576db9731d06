import { readerOf } from "../../../agent/agents.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { writeJson } from "../../../base/json/write.ts";
import { quoteWord } from "../../../base/shell/quote-word.ts";
import { formatCount, plural } from "../../../base/text/bytes.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { formatTime } from "../../../base/text/time.ts";
import { connectFleet } from "../../../fleet/connection.ts";
import { readFailures } from "../../../fleet/failures.ts";
import { fetchSession } from "../../../fleet/fetch-session.ts";
import { findFleetSession } from "../../../fleet/find-session.ts";
import { followFleet } from "../../../fleet/follow.ts";
import { type FleetHit, grepFleet } from "../../../fleet/grep.ts";
import { readOverview } from "../../../fleet/overview.ts";
import { type FleetQuery, readHandle, readNewest } from "../../../fleet/read-events.ts";
import { renderPerson, renderShipper } from "../../../fleet/shipper.ts";
import { streamName } from "../../../fleet/stream.ts";
import { renderFailures, renderOverview } from "../../../fleet/view/fleet-view.ts";
import { splitLast } from "../../../log/store/payload-text.ts";
import { withSummaries } from "../../../state/history/searchable.ts";
import { searchable } from "../../../state/session/searchable.ts";
import { eventFile, readableText, renderEventHeader } from "../../../view/event.ts";
import { fleetState } from "../../../view/fleet-state.ts";
import { renderHits, speakerOf } from "../../../view/search-hits.ts";
import { shortSession } from "../../../view/short-session.ts";
import { renderPairs } from "../../../view/text-style.ts";
import { Timeline } from "../../../view/timeline.ts";
import { EXIT } from "../exit-code.ts";
import type { CommandModule } from "../frame.ts";
import { untilInterrupted } from "../interrupt.ts";
import { askedProject } from "../open-fleet.ts";

export const fleetCommand: CommandModule<"fleet"> = {
	async run({ context, engine, place, connection }) {
		const { behind } = fleetState(engine.log, place.address);
		const overview = await readOverview(connection, engine, place, behind);
		return { data: overview, lines: (out) => renderOverview(overview, out, context.now()) };
	},
};

export const fleetGrepCommand: CommandModule<"fleet grep"> = {
	check({ args }) {
		if (args.length === 0) throw new EngineError("usage", "Say what to find: weft fleet grep TEXT.");
	},
	async run({ context, engine, connection, args, options }) {
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
	},
};

function cellsOf(hit: FleetHit): readonly [string, string, string, string] {
	const whose = `${renderPerson(hit)}@${oneLine(hit.machine)} ${oneLine(shortSession(hit.session))}`;
	return [hit.handle, formatTime(hit.ts), whose, speakerOf(hit)];
}

export const fleetFailuresCommand: CommandModule<"fleet failures"> = {
	async run({ engine, connection, args: [given], options }) {
		const { open } = engine.state().state.failures.failures;
		// A fingerprint, or the name of a failure, which ends with it.
		const named = given === undefined ? undefined : [given.slice(given.lastIndexOf(":") + 1)];
		const failures = await readFailures(connection, {
			project: await askedProject(engine, options.all),
			hashes: named ?? (options.open ? open.map(({ hash }) => hash) : undefined),
			besides: options.open ? streamName(engine.log) : undefined,
			limit: options.limit,
		});
		const none = options.open
			? "No machine has seen a failure that is open here."
			: "The fleet knows of no such failure.";
		return {
			data: { failures },
			lines: (out) => renderFailures(failures, out),
			remarks: failures.length > 0 ? [] : [none],
		};
	},
};

export const fleetShowCommand: CommandModule<"fleet show"> = {
	async run({ out, connection, args: [handle = ""], options }) {
		const found = await readHandle(connection, handle, null);
		if (!found)
			throw new EngineError("not-found", `The fleet has no event '${handle}'. Handles look like m-1a2b3c4d5e6f.`);
		const { text, ...record } = found;
		// Exact, with --json too.
		if (options.raw) {
			await out.text(splitLast(text, "raw") ?? text);
			return EXIT.ok;
		}
		const whose = `${renderShipper(found)}, ${oneLine(found.project)}`;
		return {
			data: record,
			lines: () => [...renderPairs(out, [["by", whose]]), ...renderEventHeader(record, out), ""],
			text: () => `${readableText(record)}\n`,
		};
	},
};

export const fleetLogCommand: CommandModule<"fleet log"> = {
	async run({ out, engine, place, connection, options }) {
		const { follow, all, type, ...filters } = options;
		const query: FleetQuery = {
			...filters,
			project: await askedProject(engine, all),
			types: type?.split(",").map((word) => word.trim()),
		};
		const timeline = new Timeline(out);
		const print = (records: Awaited<ReturnType<typeof readNewest>>) =>
			out.lines(out.json ? records.map(({ text: _, ...record }) => writeJson(record)) : timeline.lines(records));
		if (!follow) {
			await print(await readNewest(connection, query));
			if (!out.json && timeline.isEmpty) out.talk("No events match.");
			return;
		}
		await untilInterrupted(async (signal) => {
			const notify = (line: string) => out.talk(line);
			const connectAgain = () => connectFleet(place.address);
			for await (const records of followFleet(connection, query, { signal, notify, connectAgain }))
				await print(records);
		});
	},
};

export const fleetFetchCommand: CommandModule<"fleet fetch"> = {
	async run({ engine, connection, args: [start = ""], options }) {
		const { machine, person, role, log } = options;
		const project = await askedProject(engine, options.all);
		const logs = await findFleetSession(connection, start, { project, machine, person, role, log });
		const [session] = logs;
		const fetched = await fetchSession(connection, engine.log, logs, { isOwn: options.own });
		const resume = `To continue it in Pi: weft export --format pi --session ${oneLine(quoteWord(session.session))} --out FILE, pi --session FILE`;
		return {
			data: { ...session, ...fetched },
			lines: () => fetchedLines(logs, fetched),
			remarks: readerOf(session.host)?.resumesFromEntries ? [resume] : [],
		};
	},
};

function* fetchedLines(
	logs: Awaited<ReturnType<typeof findFleetSession>>,
	{ events, added, blobs, missing, malformed, removed }: Awaited<ReturnType<typeof fetchSession>>,
): Generator<string> {
	const makers = new Map(logs.map((each) => [each.log, renderShipper(each)]));
	const from = [...makers.values()].join(", continued by ");
	yield `${plural(events, "event")} of session ${oneLine(logs[0].session)} by ${from}: ${added} new here, ${plural(blobs, "blob")}`;
	if (missing > 0) yield `The fleet does not have ${plural(missing, "blob")} of it.`;
	if (malformed > 0) yield `${plural(malformed, "malformed event")} of it did not come.`;
	if (removed > 0) {
		const were = removed === 1 ? "1 earlier event of it was" : `${formatCount(removed)} earlier events of it were`;
		yield `${were} removed from the fleet, so this copy is not complete.`;
	}
}
