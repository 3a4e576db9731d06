import { readFailures } from "../../../fleet/failures.ts";
import { streamName } from "../../../fleet/stream.ts";
import { renderFailures } from "../../../fleet/view/fleet-view.ts";
import type { Call, CommandResult } from "../frame.ts";
import { askedProject } from "../open-fleet.ts";

export async function run({
	engine,
	connection,
	args: [given],
	options,
}: Call<"fleet failures">): Promise<CommandResult> {
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
}
