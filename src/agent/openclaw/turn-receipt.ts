/**
 * A finished turn, which the host delivers at least once: from its outbox, after a crash, from another process. Messages and
 * receipt are one transaction, so the log has the whole turn or none of it. The transaction plans nothing, because the
 * planner caches what it reads, and these events may still be rolled back.
 */

import { EngineError } from "../../base/error/engine-error.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { asObject, asText } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import { TURN_RECEIPT } from "../../view/openclaw-use.ts";
import type { CommitTurnParams } from "./contract.ts";
import { withoutOwn } from "./own-message.ts";
import type { Sessions } from "./sessions.ts";
import { OPENCLAW_HOST } from "./translate.ts";

/** Enough to tell two deliveries of a turn apart: hashes do not compress, and there is one in each turn. */
const DIGEST_CHARS = 16;

export function commitTurn(
	engine: Engine,
	sessions: Sessions,
	params: CommitTurnParams,
	now: number,
): { readonly status: "committed" | "duplicate" } {
	const { advancementKey: key, sessionId } = params;
	const messages = withoutOwn(params.messages);
	const payload = sha256(JSON.stringify(messages)).slice(0, DIGEST_CHARS);
	const state = sessions.unwrittenState(params);
	const committed = engine.log.transaction(() => {
		const receipt = {
			type: "Custom",
			session: sessionId,
			host: OPENCLAW_HOST,
			ts: now,
			entry: `turn ${key}`,
			payload: { name: TURN_RECEIPT, data: { key, messages: messages.length, payload, ...(state && { state }) } },
		} as const;
		const { seqs, added } = engine.record([receipt]);
		if (added === 0) {
			const [seq = 0] = seqs;
			const known = asText(asObject(engine.log.get(seq)?.payload["data"])?.["payload"]);
			if (known?.startsWith(payload)) return { status: "duplicate" } as const;
			throw new EngineError(
				"refused",
				`The turn '${key}' was committed before with other messages. Nothing was written.`,
			);
		}
		if (params.isHeartbeat) sessions.of(params).recordHeartbeat(messages);
		else sessions.record(params, messages, "batch");
		// From here on the newest answer says when the provider was asked.
		sessions.change(params, { touchedAt: undefined });
		return { status: "committed" } as const;
	});
	if (committed.status === "committed") sessions.stateWritten(params);
	return committed;
}

/** A turn that weft assembled and the host did not deliver; its messages come from the transcript. */
export function recordUndelivered(engine: Engine, sessionId: string, messages: number, now: number): void {
	const payload = { name: TURN_RECEIPT, data: { messages, isDelivered: false } };
	engine.record([{ type: "Custom", session: sessionId, host: OPENCLAW_HOST, ts: now, payload }]);
}
