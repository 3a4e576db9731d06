/**
 * Checks that OpenClaw really uses weft. When OpenClaw falls back to its own engine, weft gets no call and OpenClaw shows no
 * problem. The plugin records each turn that reached it and each time turns bypassed it: the newer record decides.
 */
import { asObject } from "../base/json/read.ts";
import { formatAgo } from "../base/text/time.ts";
import type { Log } from "../log/log.ts";
import type { HealthCheck } from "./doctor.ts";

/** Custom events of OpenClaw's plugin: a turn that reached weft, and turns that bypassed it. */
export const TURN_RECEIPT = "openclaw.turn";
export const PASSED_BY = "openclaw.passed-by";

const MAX_LOOKED_AT = 500;

/** Undefined: this project has nothing from OpenClaw. */
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
