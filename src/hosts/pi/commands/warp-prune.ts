import { projectState } from "../../../context/project-state.ts";
import { plural } from "../../../text/bytes.ts";
import { wholeNumber } from "./arguments.ts";
import type { Asked } from "./asked.ts";

const KEPT_SNAPSHOTS = 5;

/** A snapshot only saves time, so there is no dry run: the log makes any of them anew. */
export async function run({ live, args }: Asked): Promise<string> {
	const keep = wholeNumber("/warp-prune", args, KEPT_SNAPSHOTS);
	const { snapshots } = projectState(live.engine.log);
	const removed = snapshots.prune(keep);
	return `${plural(removed, "snapshot")} removed, ${snapshots.list().length} kept.`;
}
