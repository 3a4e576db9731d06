/** What a shell call's result says of the command: how it ended, as far as the host tells. */

import { asInteger, asObject } from "../../base/json/read.ts";
import type { ResultBlock } from "../../message/view.ts";
import type { Call } from "./calls.ts";

export function exitOf(call: Call, result: ResultBlock): number | null {
	const details = asObject(result.details) ?? {};
	const told = asInteger(details["exitCode"]) ?? asInteger(details["exit_code"]);
	if (told !== undefined) return told;
	if (isUnfinished(call, details) || details["exitCode"] === null) return null;
	if (!result.isError) return 0;
	// Pi ends the text with the status, Claude Code begins with it; an abort or a timeout has no status.
	const status = /(?:^|\n)Command exited with code (-?\d{1,9})\s*$/.exec(result.text.slice(-200));
	const code = status ?? /^(?:Error: )?Exit code (-?\d{1,9})\b/.exec(result.text);
	return code ? Number(code[1]) : null;
}

/** It runs on in the background, or it was stopped: nobody knows its exit status. */
function isUnfinished(call: Call, details: Readonly<Record<string, unknown>>): boolean {
	return (
		details["interrupted"] === true ||
		details["status"] === "running" ||
		typeof details["backgroundTaskId"] === "string" ||
		call.input["run_in_background"] === true ||
		call.input["background"] === true
	);
}
