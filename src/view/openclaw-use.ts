/**
 * Does OpenClaw really use us? When it falls back to its own engine nobody calls us, and its own surfaces stay green. The
 * plugin writes down when turns passed it by, and each turn that reached it has a receipt: the newer of the two tells.
 */
import { asObject } from "../base/json/read.ts";
import { formatAgo } from "../base/text/age.ts";
import type { Log } from "../log/log.ts";
import type { HealthCheck } from "./doctor.ts";

/** Custom events of OpenClaw's plugin: a turn that was delivered, and turns that passed us by. */
export const TURN_RECEIPT = "openclaw.turn";
export const PASSED_BY = "openclaw.passed-by";

const MAX_LOOKED_AT = 500;

/** Undefined: nothing of this project came from OpenClaw. */
export function checkOpenClaw(log: Log, now: number): HealthCheck | undefined {
	const query = { host: "openclaw", types: ["Custom"], order: "newest", limit: MAX_LOOKED_AT } as const;
	for (const { payload, ts } of log.read(query)) {
		if (payload["name"] === TURN_RECEIPT) {
			return { name: "openclaw", level: "ok", says: `uses weft; its newest turn came ${formatAgo(ts, now)}` };
		}
		if (payload["name"] !== PASSED_BY) continue;
		const { turns, since, reason, todo } = asObject(payload["data"]) ?? {};
		const why = typeof reason === "string" ? `; it says: ${reason}` : "";
		const age = formatAgo(Number(since) || ts, now);
		return {
			name: "openclaw",
			level: "warn",
			says: `does not use weft: ${turns} turns or more went past it, the first ${age}${why}`,
			todo: String(todo ?? "look for [context-engine] in the gateway's log"),
		};
	}
	return undefined;
}
