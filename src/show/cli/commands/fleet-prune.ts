import { EngineError } from "../../../base/error/engine-error.ts";
import { plural } from "../../../base/text/bytes.ts";
import { checkOwner, countOlder, pruneFleet } from "../../../fleet/removal.ts";
import { DRY_RUN } from "../../../view/upkeep.ts";
import { pointInTime } from "../arguments.ts";
import type { Context } from "../context.ts";
import { withFleet } from "../fleet.ts";

export interface FleetPruneOptions {
	readonly before?: string;
	readonly yes?: boolean;
}

export async function run(context: Context, _args: readonly string[], options: FleetPruneOptions): Promise<void> {
	const before = pointInTime("--before", options.before, context.now());
	if (before === undefined) throw new EngineError("usage", "Say how old: weft fleet prune --before 90d.");
	await withFleet(context, async ({ connection }) => {
		const { out } = context;
		await checkOwner(connection);
		const events = options.yes ? await pruneFleet(connection, before) : await countOlder(connection, before);
		if (out.json) return out.document({ before, events, applied: options.yes ?? false });
		const of = `${plural(events, "event")} of sessions that ended before ${new Date(before).toISOString().slice(0, 10)}`;
		await out.line(options.yes ? `Removed ${of}.` : `Would remove about ${of}.`);
		if (!options.yes) out.talk(DRY_RUN);
	});
}
