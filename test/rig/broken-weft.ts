/** weft as it ships, but for one hook, named in the environment, which throws: for tests of what Pi does then. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { register } from "../../src/agent/pi/register.ts";

export default function brokenWeft(pi: ExtensionAPI): void {
	const broken = () => {
		throw new Error("broken on purpose.");
	};
	register(pi, { hooks: { [process.env["BROKEN_HOOK"] ?? ""]: broken } });
}
