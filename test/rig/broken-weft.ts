/** weft as it ships, except that one hook, named in the environment, throws: for tests of what Pi does then. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { register } from "../../src/agent/pi/register.ts";

export default async function brokenWeft(pi: ExtensionAPI): Promise<void> {
	const { HOOKS } = await import("../../src/agent/pi/session-modules.ts");
	const broken = () => {
		throw new Error("broken on purpose.");
	};
	Object.assign(HOOKS, { [process.env["BROKEN_HOOK"] ?? ""]: broken });
	register(pi);
}
