import { EngineError } from "../../../base/error/engine-error.ts";
import { plural } from "../../../base/text/bytes.ts";
import { checkOwner, countOlder, pruneFleet } from "../../../fleet/removal.ts";
import { DRY_RUN } from "../../../view/pruning.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";

export function check({ options }: CheckCall<"fleet prune">): void {
	endedBefore(options);
}

export async function run({ connection, options }: Call<"fleet prune">): Promise<CommandResult> {
	const { yes } = options;
	const before = endedBefore(options);
	await checkOwner(connection);
	const events = yes ? await pruneFleet(connection, before) : await countOlder(connection, before);
	const of = `${plural(events, "event")} of sessions that ended before ${new Date(before).toISOString().slice(0, 10)}`;
	return {
		data: { before, events, applied: yes },
		lines: () => [yes ? `Removed ${of}.` : `Would remove about ${of}.`],
		remarks: yes ? [] : [DRY_RUN],
	};
}

function endedBefore({ before }: { readonly before: number | undefined }): number {
	if (before !== undefined) return before;
	throw new EngineError("usage", "Say how old: weft fleet prune --before 90d.");
}
