/** How each agent shows the text that opens an epoch. The context floor knows no agent: callers hand this in. */

import type { OpeningRole } from "../context/plan.ts";

const OPENING_ROLES: ReadonlyMap<string, OpeningRole> = new Map([["pi", "compactionSummary"]]);

/** Undefined: as a message of the user. */
export function openingRoleOf(host: string): OpeningRole | undefined {
	return OPENING_ROLES.get(host);
}
