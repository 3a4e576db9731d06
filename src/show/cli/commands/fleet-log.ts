import { writeJson } from "../../../base/json/write.ts";
import { connectFleet } from "../../../fleet/connection.ts";
import { followFleet } from "../../../fleet/follow.ts";
import { type FleetQuery, readNewest } from "../../../fleet/read.ts";
import { Timeline } from "../../../view/timeline.ts";
import type { Call } from "../frame.ts";
import { untilInterrupted } from "../interrupt.ts";
import { askedProject } from "../open-fleet.ts";

export async function run({ out, engine, place, connection, options }: Call<"fleet log">): Promise<void> {
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
		for await (const records of followFleet(connection, query, { signal, notify, connectAgain })) await print(records);
	});
}
