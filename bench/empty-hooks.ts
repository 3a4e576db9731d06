/** An extension of Pi that listens to what weft listens to in a request, and does nothing: what Pi itself takes for being heard. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function listen(pi: ExtensionAPI): void {
	const nothing = () => undefined;
	pi.on("context", nothing);
	pi.on("before_provider_request", nothing);
	pi.on("after_provider_response", nothing);
	pi.on("message_start", nothing);
	pi.on("message_end", nothing);
	pi.on("tool_call", nothing);
	pi.on("tool_result", nothing);
	pi.on("turn_end", nothing);
}
