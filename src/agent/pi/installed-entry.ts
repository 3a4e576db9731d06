/** What Pi loads of an installed weft: all of it is one file beside this one, with the code that was compiled before. */
import { join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { runCompiled } from "../../base/file/compiled-script.ts";

/** With so many messages of a run nearly everything has run that a request needs. */
const ENOUGH_MESSAGES = 12;

const { exports, keep } = runCompiled(join(import.meta.dirname, "register.js"));
const built = exports as typeof import("./register.ts");

export function register(pi: ExtensionAPI): void {
	let runs = 0;
	let worth = 0;
	built.register(pi, {
		// V8 forgets code that was not called for long: in a session of hours that of its own start. So it is kept early.
		onRunEnded: (messages) => {
			worth = Math.max(worth, Math.min(messages, ENOUGH_MESSAGES));
			if (++runs > 1) keep(worth);
		},
		// What a session does at its end has run, too.
		onEnded: () => {
			if (runs === 1) keep(worth + 1);
		},
	});
}
