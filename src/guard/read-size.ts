/** A read above the limit is cut to it, where the host lets us change a call, and says how to read on; else it is blocked. */

import { asInteger } from "../json/read.ts";
import { pathOf } from "../session/derive-change.ts";
import { locate } from "./call-path.ts";
import { countByteLines, isBinary } from "./line-ends.ts";
import { classOf } from "./tool-class.ts";
import { type FilePort, type GuardCall, type GuardSettings, type Outcome, PASS } from "./types.ts";
import { type Judging, object, warn } from "./verdict.ts";

/** The host says whether a call's arguments may be changed before it runs. */
export interface HostPowers {
	readonly canChangeInput: boolean;
}

/** Shown as pictures or in parts of their own: lines mean nothing there. */
const NOT_BY_LINES = /\.(?:png|jpe?g|gif|webp|bmp|svgz|pdf|ipynb)$/i;

export function checkReadSize(
	call: GuardCall,
	world: Judging & { readonly files: FilePort; readonly settings: GuardSettings },
	{ canChangeInput }: HostPowers,
): Outcome {
	const { settings, files, now } = world;
	const most = settings.maxReadLines;
	if (most <= 0 || classOf(call, settings) !== "read") return PASS;
	const path = pathOf(call.input);
	if (path === undefined || NOT_BY_LINES.test(path)) return PASS;
	const asked = asInteger(call.input["limit"]);
	if (asked !== undefined && asked <= most) return PASS;
	const target = locate(path, call.cwd);
	const lines = linesOf(target.absolute, files, most);
	const from = Math.max(1, asInteger(call.input["offset"]) ?? 1);
	if (lines === undefined || Math.min(asked ?? lines, lines - from + 1) <= most) return PASS;

	const input = { ...call.input, offset: from, limit: most };
	const next = from + most;
	const count = Number.isFinite(lines) ? `${lines} lines` : "very many lines";
	const whole = `${target.path} has ${count}, and one read shows at most ${most} (maxReadLines).`;
	if (!canChangeInput) {
		const reason = `${whole} Call ${call.tool} with ${JSON.stringify(input)}; then go on with "offset": ${next}.`;
		return object(call, { rule: "read-size", reason, target }, world);
	}
	const reason = `${whole} Shown are lines ${from}–${next - 1}; to read on, call ${call.tool} with ${JSON.stringify({ ...input, offset: next })}.`;
	const said = warn(call, { rule: "read-size", reason, target }, settings.policyMode, now);
	return said.action === "pass" && settings.policyMode === "enforce" ? { ...said, input } : said;
}

/** Undefined where the file is no text, or cannot have that many lines. */
function linesOf(absolute: string, files: FilePort, most: number): number | undefined {
	const look = files.stat(absolute);
	if (look.kind !== "file" || look.stat.size <= most) return undefined;
	const content = files.read(absolute);
	if (content.kind === "too-large") return Number.POSITIVE_INFINITY;
	if (content.kind !== "bytes" || isBinary(content.bytes)) return undefined;
	return countByteLines(content.bytes);
}
