/**
 * Usage figures that weft raised so that the agent compacts. They are the only ones that are not true: subtract them before
 * you add up.
 */
import { type EventRecord, isA } from "../../log/event/types.ts";
import { emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import type { Log } from "../../log/log.ts";
import { answerId } from "../../message/outgoing-message.ts";
import type { Usage } from "../../message/usage.ts";

/** Tokens by host and answer. The event comes right before its answer. */
export type RaisedUsage = Recent<number>;

const MAX_ANSWERS = 64;

/** Reads all of a log at once. */
export function readRaised(log: Pick<Log, "read">): RaisedUsage {
	const raised = emptyRaised();
	for (const record of log.read({ types: ["UsageRaised"] })) takeRaised(raised, record, Number.POSITIVE_INFINITY);
	return raised;
}

export const emptyRaised = (): RaisedUsage => emptyRecent();

export function takeRaised(raised: RaisedUsage, record: EventRecord, most = MAX_ANSWERS): void {
	if (isA(record, "UsageRaised"))
		putRecent(raised, `${record.host} ${record.payload.answer}`, record.payload.tokens, most);
}

/** The usage that the provider reported. */
export function trueUsage<Counts extends Pick<Usage, "cacheRead">>(
	raised: RaisedUsage,
	{ host, payload }: EventRecord,
	usage: Counts,
): Counts {
	const answer = answerId(payload);
	const tokens = answer === undefined ? undefined : getRecent(raised, `${host} ${answer}`);
	return tokens === undefined ? usage : { ...usage, cacheRead: Math.max(0, usage.cacheRead - tokens) };
}
