/** The one usage figure that is not true: the host was told it so that it compacts. Whoever sums leaves it out. */
import { type EventRecord, isA } from "../../log/event/types.ts";
import { emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import type { Log } from "../../log/log.ts";
import { answerId } from "../../message/sent.ts";
import type { Usage } from "../../message/usage.ts";

/** Tokens by host and answer. The event stands before the answer, and the answer follows at once. */
export type Raised = Recent<number>;

const KEPT_ANSWERS = 64;

/** All of a log at once, for whoever reads its answers one by one. */
export function readRaised(log: Pick<Log, "read">): Raised {
	const raised = emptyRaised();
	for (const record of log.read({ types: ["UsageRaised"] })) takeRaised(raised, record, Number.POSITIVE_INFINITY);
	return raised;
}

export const emptyRaised = (): Raised => emptyRecent();

export function takeRaised(raised: Raised, record: EventRecord, most = KEPT_ANSWERS): void {
	if (isA(record, "UsageRaised"))
		putRecent(raised, `${record.host} ${record.payload.answer}`, record.payload.tokens, most);
}

/** What the provider really reported. */
export function trueUsage<Counts extends Pick<Usage, "cacheRead">>(
	raised: Raised,
	{ host, payload }: EventRecord,
	usage: Counts,
): Counts {
	const answer = answerId(payload);
	const tokens = answer === undefined ? undefined : getRecent(raised, `${host} ${answer}`);
	return tokens === undefined ? usage : { ...usage, cacheRead: Math.max(0, usage.cacheRead - tokens) };
}
