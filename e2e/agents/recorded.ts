/** What a log has of an agent's own session, without what weft itself added: for comparing a live log with an imported one. */

import { writeJson } from "../../src/base/json/write.ts";
import type { Log } from "../../src/log/log.ts";

/** Written by the guard, the planner and our tools. */
const OWN = new Set([
	"Verdict",
	"FilesKept",
	"Given",
	"Consolidation",
	"Seal",
	"Summary",
	"Custom",
	"Fault",
	"Transform",
	"Decision",
	"MemoryWrite",
	"Pruned",
]);

/** `besides`: types that this comparison leaves out, too. */
export function recordedBy(log: Log, besides: ReadonlySet<string> = new Set()): string[] {
	const lines: string[] = [];
	for (const { type, session, entry, payload } of log.read({ everything: true })) {
		// What the guard saw on the disk has no entry of the agent's.
		if (OWN.has(type) || besides.has(type) || (type === "FileChanged" && entry === null)) continue;
		lines.push(`${session} ${type} ${entry} ${writeJson(payload).slice(0, 20_000)}`);
	}
	return lines.sort();
}
