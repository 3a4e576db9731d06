import { writeJson } from "../../../base/json/write.ts";
import { connectFleet } from "../../../fleet/connection.ts";
import { followFleet } from "../../../fleet/follow.ts";
import { type FleetQuery, readNewest } from "../../../fleet/read.ts";
import { Timeline } from "../../../view/timeline.ts";
import { pointInTime, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import type { OpenFleet } from "../fleet.ts";
import { askedProject, withFleet } from "../fleet.ts";
import { untilInterrupted } from "../interrupt.ts";

const DEFAULT_LIMIT = 50;

export interface FleetLogOptions {
	readonly session?: string;
	readonly type?: string;
	readonly machine?: string;
	readonly person?: string;
	readonly since?: string;
	readonly until?: string;
	readonly limit?: string;
	readonly follow?: boolean;
	readonly all?: boolean;
}

export async function run(context: Context, _args: readonly string[], options: FleetLogOptions): Promise<void> {
	await withFleet(context, async (fleet) => {
		const { session, type, machine, person } = options;
		const query: FleetQuery = {
			project: await askedProject(fleet.engine, options.all),
			session,
			machine,
			person,
			types: type?.split(",").map((word) => word.trim()),
			since: pointInTime("--since", options.since, context.now()),
			until: pointInTime("--until", options.until, context.now()),
			limit: wholeNumber("--limit", options.limit, 1) ?? DEFAULT_LIMIT,
		};
		await show(context, fleet, query, options.follow ?? false);
	});
}

async function show(
	{ out }: Context,
	{ connection, place }: OpenFleet,
	query: FleetQuery,
	isFollowed: boolean,
): Promise<void> {
	const timeline = new Timeline(out);
	const print = (records: Awaited<ReturnType<typeof readNewest>>) =>
		out.lines(out.json ? records.map(({ text: _, ...record }) => writeJson(record)) : timeline.lines(records));
	if (!isFollowed) {
		await print(await readNewest(connection, query));
		if (!out.json && timeline.isEmpty) out.talk("No events match.");
		return;
	}
	await untilInterrupted(async (signal) => {
		const notify = (line: string) => out.talk(line);
		const connectAgain = () => connectFleet(place.address);
		const following = followFleet(connection, query, { signal, notify, connectAgain });
		for await (const records of following) await print(records);
	});
}
