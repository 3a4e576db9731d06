/** The Pi extension (`pi.extensions` in package.json). Pi loads this file as it is and calls the function once per session. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { register } from "./register.ts";

export default function weft(pi: ExtensionAPI): void {
	register(pi);
}
