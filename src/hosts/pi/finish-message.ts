/** A message is final: the user's own handlers may change it before Pi stores it. */
import type { MessageEndEvent, MessageEndEventResult } from "@earendil-works/pi-coding-agent";
import type { LiveSession } from "./live-session.ts";

export async function finishMessage(
	{ message }: MessageEndEvent,
	live: LiveSession,
): Promise<MessageEndEventResult | undefined> {
	if (!live.pipeline || live.mode() === "off" || message.role === "system") return undefined;
	const finished = await live.pipeline.finish(message, live);
	return finished ? ({ message: finished } as MessageEndEventResult) : undefined;
}
