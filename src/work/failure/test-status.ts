import type { Payload } from "../../event/types.ts";
import { type Run, readRun } from "./read.ts";

const MAX_NAMES = 100;
/** What these find does not tell whether a test or a check passed. */
const NO_CHECK = new Set(["diagnostics", "python", "stack"]);

/** The TestStatus event of a run; null when the run was not a test or a check that we know. */
export function testStatus(run: Run): Payload<"TestStatus"> | null {
	const { tool, status, recognised, fingerprint, identity } = readRun(run);
	if (tool === null || NO_CHECK.has(tool)) return null;
	const of = { command: identity.command, status };
	if (status !== "fail") return { ...of, failed: [] };
	const firstError = recognised?.firstError ?? fingerprint?.marks[0]?.message;
	const failed = recognised?.failed.slice(0, MAX_NAMES) ?? [];
	return firstError === undefined ? { ...of, failed } : { ...of, failed, firstError };
}
