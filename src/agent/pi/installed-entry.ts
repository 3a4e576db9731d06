/** The module that Pi loads from an installed weft. The rest is one bundle beside it, run from V8's compiled code. */
import { join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { runCompiled } from "../../base/file/compiled-script.ts";

/** After this many messages in a run, nearly all code of a request has been compiled. */
const ENOUGH_MESSAGES = 12;

const { exports, keep } = runCompiled(join(import.meta.dirname, "register.js"));
const built = exports as typeof import("./register.ts");

export function register(pi: ExtensionAPI): void {
	let runs = 0;
	let value = 0;
	built.register(pi, {
		// V8 drops code that has not run for a while, such as the start-up code in a long session. So save it early.
		onRunEnded: (messages) => {
			value = Math.max(value, Math.min(messages, ENOUGH_MESSAGES));
			if (++runs > 1) keep(value);
		},
		// By now the code for the end of a session has run, too.
		onEnded: () => {
			if (runs === 1) keep(value + 1);
		},
	});
}
