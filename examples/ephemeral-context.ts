/**
 * Text for one request alone: it comes last, does not become history, and costs no cache. The time comes with the call and
 * not from the clock, so a replay at the same time gives the same text.
 */
import type { HandlerApi } from "weft-context";

export default function (weft: HandlerApi): void {
	weft.on("context", (event, { now }) => {
		if (event.reason !== "ephemeral") return;
		const today = new Date(now).toISOString().slice(0, "2026-01-01".length);
		return {
			transformerName: "ephemeral-context",
			patch: [{ op: "tail_set", scope: "uncached", messages: [{ role: "user", content: `Today is ${today}.` }] }],
		};
	});
}
