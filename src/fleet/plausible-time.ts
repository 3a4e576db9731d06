/** A clock may be wrong, but not by more than a day. A member can ship any time, and must not be the newest for ever. */
export const LATEST_TIME = "(EXTRACT(EPOCH FROM pg_catalog.now()) * 1000 + 86400000)";

/** SQL that sorts a time: one that lies in the future is the oldest. */
export function plausibleTime(column: string): string {
	return `(CASE WHEN ${column} > ${LATEST_TIME} THEN 0 ELSE ${column} END)`;
}
