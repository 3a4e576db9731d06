/** When each agent was last seen in a project, and what failed there last: a silent agent does not reach weft. */
import { cutWithEllipsis } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatAgo } from "../base/text/time.ts";
import type { EventRecord } from "../log/event/types.ts";
import type { Log } from "../log/log.ts";
import type { HealthCheck } from "./doctor.ts";

/** Of the newest events. */
const MAX_LOOKED_AT = 5_000;
const MAX_MESSAGE_CHARS = 120;
/** A failure this old needs no attention. */
const RECENT_MS = 24 * 3_600_000;
/** Events that no agent brings. */
const OWN_HOSTS = new Set(["cli", "weft"]);

export function checkActivity(log: Log, now: number): HealthCheck[] {
	const agents = new Map<string, { seen: number; fault?: EventRecord }>();
	for (const record of log.read({ order: "newest", limit: MAX_LOOKED_AT })) {
		const { host, ts, type } = record;
		if (OWN_HOSTS.has(host)) continue;
		const agent = agents.get(host) ?? { seen: ts };
		agent.seen = Math.max(agent.seen, ts);
		agents.set(host, agent);
		if (type === "Fault") agent.fault ??= record;
	}
	return [...agents].sort().map(([name, { seen, fault }]): HealthCheck => {
		const says = `last seen ${formatAgo(seen, now)}`;
		if (!fault) return { name, level: "ok", says: `${says}; no errors` };
		const { where, message } = fault.payload;
		const what = cutWithEllipsis(oneLine(`${where}: ${message}`), MAX_MESSAGE_CHARS);
		const failed = `${says}; last error ${formatAgo(fault.ts, now)}: ${what}`;
		if (now - fault.ts > RECENT_MS) return { name, level: "ok", says: failed };
		return { name, level: "warn", says: failed, todo: "'weft log --type Fault' shows all of them; the agent went on" };
	});
}
