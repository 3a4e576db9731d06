import { readFailures } from "../../../fleet/failures.ts";
import { streamName } from "../../../fleet/stream.ts";
import { renderFailures } from "../../../fleet/view/fleet-view.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { askedProject, withFleet } from "../fleet.ts";

export interface FleetFailuresOptions {
	readonly open?: boolean;
	readonly all?: boolean;
	readonly limit?: string;
}

export async function run(context: Context, [given]: readonly string[], options: FleetFailuresOptions): Promise<void> {
	await withFleet(context, async ({ engine, connection }) => {
		const { out } = context;
		const project = await askedProject(engine, options.all);
		const { open } = engine.state().state.failures.failures;
		// A fingerprint, or the name of a failure, which ends with it.
		const hashes =
			given !== undefined
				? [given.slice(given.lastIndexOf(":") + 1)]
				: options.open
					? open.map(({ hash }) => hash)
					: undefined;
		const failures = await readFailures(connection, {
			project,
			hashes,
			besides: options.open ? streamName(engine.log) : undefined,
			limit: wholeNumber("--limit", options.limit, 1),
		});
		if (out.json) return out.document({ failures });
		await out.lines(renderFailures(failures, out));
		if (failures.length > 0) return;
		out.talk(
			options.open
				? "None of the failures that are open here was seen elsewhere."
				: "The fleet knows of no such failure.",
		);
	});
}
