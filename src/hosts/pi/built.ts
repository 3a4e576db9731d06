/** What Pi loads of an installed weft: all of it is one file beside this one, with the code that was compiled before. */
import { join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { runCompiled } from "../../file/compiled.ts";

/** With so many messages of a run nearly everything has run that a request needs. */
const ENOUGH_MESSAGES = 12;

const { exports, keep } = runCompiled(join(import.meta.dirname, "register.js"));
const built = exports as typeof import("./register.ts");

export function register(pi: ExtensionAPI): void {
	built.register(pi);
	let runs = 0;
	let worth = 0;
	// V8 forgets code that was not called for long: in a session of hours that of its own start. So it is kept early.
	pi.on("agent_end", ({ messages }) => {
		worth = Math.max(worth, Math.min(messages.length, ENOUGH_MESSAGES));
		if (++runs > 1) keep(worth);
	});
	// After weft's own: what it does at the end has run, too.
	pi.on("session_shutdown", () => {
		if (runs === 1) keep(worth + 1);
	});
}
