import { projectState } from "../../../context/project-state.ts";
import { formatBytes, formatCount } from "../../../text/bytes.ts";
import type { Asked } from "./asked.ts";

export async function run({ live }: Asked): Promise<string> {
	const written = projectState(live.engine.log).writeSnapshot();
	if (!written) return "The log is empty: there is no state to write down.";
	return `State at event ${formatCount(written.seq)} written to ${written.path} (${formatBytes(written.bytes)}).`;
}
