/**
 * A turn that the host has finished, delivered at least once: from its outbox, after a crash, from another process. The
 * messages and the receipt are one transaction, so a turn is there wholly or not at all. Nothing is planned inside it: what
 * a plan reads is held, and would be of events that may still be rolled back.
 */

import { EngineError } from "../../base/error/engine-error.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { asObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import { TURN_RECEIPT } from "../../view/openclaw-use.ts";
import type { CommitTurnParams } from "./contract.ts";
import { withoutOwn } from "./own-message.ts";
import type { Sessions } from "./sessions.ts";
import { OPENCLAW_HOST } from "./translate.ts";

export function commitTurn(
	engine: Engine,
	sessions: Sessions,
	params: CommitTurnParams,
	now: number,
): { readonly status: "committed" | "duplicate" } {
	const { advancementKey: key, sessionId } = params;
	const messages = withoutOwn(params.messages);
	const payload = sha256(JSON.stringify(messages));
	return engine.log.transaction(() => {
		const receipt = {
			type: "Custom",
			session: sessionId,
			host: OPENCLAW_HOST,
			ts: now,
			entry: `turn ${key}`,
			payload: { name: TURN_RECEIPT, data: { key, messages: messages.length, payload } },
		} as const;
		const { seqs, added } = engine.record([receipt]);
		if (added === 0) {
			const known = asObject(engine.log.get(seqs[0]!)?.payload["data"])?.["payload"];
			if (known === payload) return { status: "duplicate" };
			throw new EngineError(
				"refused",
				`The turn '${key}' was committed before with other messages. Nothing was written.`,
			);
		}
		if (params.isHeartbeat) sessions.of(params).recordHeartbeat(messages);
		else sessions.record(params, messages, "batch");
		// From here on the newest answer tells when the provider was asked.
		sessions.change(params, { touchedAt: undefined });
		return { status: "committed" };
	});
}

/** A turn that the host asked us for and did not deliver; it was read from its transcript. */
export function noteUndelivered(engine: Engine, sessionId: string, messages: number, now: number): void {
	const payload = { name: TURN_RECEIPT, data: { messages, isDelivered: false } };
	engine.record([{ type: "Custom", session: sessionId, host: OPENCLAW_HOST, ts: now, payload }]);
}
