/** The exit status of a shell call, as far as its result says. */

import { asInteger, asObject } from "../../base/json/read.ts";
import type { ResultBlock } from "../../message/view.ts";
import type { SessionCall } from "./calls.ts";

export function exitOf(call: SessionCall, result: ResultBlock): number | null {
	const details = asObject(result.details) ?? {};
	const given = asInteger(details["exitCode"]) ?? asInteger(details["exit_code"]);
	if (given !== undefined) return given;
	if (isUnfinished(call, details) || details["exitCode"] === null) return null;
	if (!result.isError) return 0;
	// Pi ends the text with the status, Claude Code begins with it. An abort or a timeout has none.
	const status = /(?:^|\n)Command exited with code (-?\d{1,9})\s*$/.exec(result.text.slice(-200));
	const code = status ?? /^(?:Error: )?Exit code (-?\d{1,9})\b/.exec(result.text);
	return code ? Number(code[1]) : null;
}

/** True: the command still runs in the background, or was stopped. Its exit status is unknown. */
function isUnfinished(call: SessionCall, details: Readonly<Record<string, unknown>>): boolean {
	return (
		details["interrupted"] === true ||
		details["status"] === "running" ||
		typeof details["backgroundTaskId"] === "string" ||
		call.input["run_in_background"] === true ||
		call.input["background"] === true
	);
}
