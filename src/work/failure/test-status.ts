import type { Payload } from "../../event/types.ts";
import { type Reading, type Run, readRun } from "./read.ts";

const MAX_NAMES = 100;
/** What these find is no verdict of a test or a check. */
const NO_CHECK = new Set(["diagnostics", "python", "stack"]);

/** The TestStatus event of a run; null when it was no run of a test or a check that we know. */
export function testStatus(run: Run): Payload<"TestStatus"> | null {
	return testStatusOf(readRun(run));
}

export function testStatusOf(reading: Reading): Payload<"TestStatus"> | null {
	if (reading.tool === null || NO_CHECK.has(reading.tool)) return null;
	const { recognised, status } = reading;
	const firstError = status === "fail" ? (recognised?.firstError ?? reading.fingerprint?.marks[0]?.message) : undefined;
	return {
		command: reading.identity.command,
		status,
		failed: status === "fail" ? (recognised?.failed.slice(0, MAX_NAMES) ?? []) : [],
		...(firstError === undefined || firstError === null ? {} : { firstError }),
	};
}
