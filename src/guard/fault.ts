import type { GuardCall, GuardEvent } from "./types.ts";

const MAX_MESSAGE_CHARS = 500;

/** A failure of the guard itself: the call passes, and this is written down. */
export function faultEvent(call: GuardCall, where: string, error: unknown, now: number): GuardEvent {
	const code = String((error as { code?: unknown } | null)?.code ?? (error instanceof Error ? error.name : "unknown"));
	const message = (error instanceof Error ? error.message : String(error)).slice(0, MAX_MESSAGE_CHARS).toWellFormed();
	return { type: "Fault", session: call.session, host: call.host, ts: now, payload: { where, code, message } };
}
