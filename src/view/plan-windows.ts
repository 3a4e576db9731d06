/** How full the windows of a subscription were at an agent's last answer, where the agent's own files say it (Codex does). */
import { asNumber, asObject, asText } from "../base/json/read.ts";
import { formatPercent } from "../base/text/bytes.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatMinute } from "../base/text/time.ts";
import type { EventRecord } from "../log/event/types.ts";
import type { Log } from "../log/log.ts";
import { listSessions } from "../state/session/find-session.ts";

export interface PlanWindows {
	readonly agent: string;
	readonly plan: string | null;
	/** When the agent was told, ms since the epoch. */
	readonly ts: number;
	/** The shortest first. */
	readonly windows: readonly { readonly minutes: number; readonly used: number; readonly resets: number | null }[];
}

/** An agent that says it, says it with nearly every answer: further back it is not worth reading. */
const MAX_ENTRIES_BACK = 100;
const MAX_SESSIONS_BACK = 3;

export function readPlanWindows(log: Log): PlanWindows | undefined {
	const sessions = listSessions(log)
		.filter(({ host }) => host === "codex")
		.slice(0, MAX_SESSIONS_BACK);
	for (const { session, host } of sessions) {
		const query = { session, host, types: ["Entry"], order: "newest", limit: MAX_ENTRIES_BACK } as const;
		for (const record of log.read(query)) {
			const found = planWindowsOf(record);
			if (found) return found;
		}
	}
	return undefined;
}

function planWindowsOf({ host, ts, payload }: EventRecord): PlanWindows | undefined {
	const limits = asObject(asObject(asObject(payload["raw"])?.["payload"])?.["rate_limits"]);
	if (!limits) return undefined;
	const windows = ["primary", "secondary"].flatMap((name) => {
		const window = asObject(limits[name]);
		const minutes = asNumber(window?.["window_minutes"]);
		const percent = asNumber(window?.["used_percent"]);
		if (minutes === undefined || percent === undefined) return [];
		const resets = asNumber(window?.["resets_at"]);
		return [{ minutes, used: percent / 100, resets: resets === undefined ? null : resets * 1000 }];
	});
	if (windows.length === 0) return undefined;
	windows.sort((one, other) => one.minutes - other.minutes);
	return { agent: host, plan: asText(limits["plan_type"]) ?? null, ts, windows };
}

/** `codex, plan pro, on 2026-06-17 14:32: 16 % of the 5 hours used (until 17:32), 54 % of the 7 days` */
export function renderPlanWindows({ agent, plan, ts, windows }: PlanWindows): string {
	const parts = windows.map(
		({ minutes, used, resets }) =>
			`${formatPercent(used)} of ${spanWords(minutes)} used${resets === null ? "" : `, until ${formatMinute(resets)}`}`,
	);
	return `${agent}${plan === null ? "" : `, plan ${oneLine(plan)}`}, on ${formatMinute(ts)}: ${parts.join("; ")}`;
}

const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;

function spanWords(minutes: number): string {
	if (minutes % DAY_MINUTES === 0) return `${minutes / DAY_MINUTES} days`;
	return minutes % HOUR_MINUTES === 0 ? `${minutes / HOUR_MINUTES} hours` : `${minutes} minutes`;
}
