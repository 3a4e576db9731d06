/** A Pi extension with the same hooks as weft that do nothing: shows Pi's own cost of calling hooks. */
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
