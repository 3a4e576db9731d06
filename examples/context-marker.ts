/**
 * A marker in the durable history: once, at the first request, and never again. weft calls a handler before every request.
 * One that added its marker each time, or put the time into it, would change the prompt and pay for the provider's cache
 * each time. This one checks whether the marker is there, and only appends, which needs no reason.
 */
import type { HandlerApi } from "weft-context";

const MARKER = "weft-example-marker";

export default function (weft: HandlerApi): void {
	weft.on("context", (event) => {
		if (event.reason !== "before_request") return;
		const { cached } = event.state.envelope.messages;
		if (cached.some(({ id }) => id === MARKER)) return;
		return {
			transformerName: "context-marker",
			display: { title: "Marker", summary: "Says from where on this handler was at work" },
			patch: [
				{
					op: "messages_cached_replace",
					scope: "cached",
					messages: [...cached, { id: MARKER, role: "user", content: "From here on the context is marked." }],
				},
			],
		};
	});
}
