/**
 * Something that holds for one request alone: it is said last, it does not become history, and it costs no cache. Time comes
 * from beside the envelope, so that a replay with the same clock says the same.
 */
// In a project of your own: from "weft-context".
import type { HandlerApi } from "../src/context/handler/handler.ts";

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
