/** Two of us may stand beside one agent: the proxy marks that it answered a compaction with the seed, so that no hook says it again. */
import type { Engine, GivenEvent } from "../engine.ts";
import { asName } from "../json/read.ts";
import type { SessionRef } from "../session/tree.ts";

const NAME = "seed-offered";

export function seedOffered({ session, host }: SessionRef): GivenEvent {
	return { type: "Custom", session, host, payload: { name: NAME, data: {} } };
}

/** Since the event `after`. */
export function isSeedOffered({ log }: Engine, { session, host }: SessionRef, after: number): boolean {
	const events = [...log.read({ session, host, types: ["Custom"], after })];
	return events.some(({ payload }) => asName(payload["name"]) === NAME);
}
