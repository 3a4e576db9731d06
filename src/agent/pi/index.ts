/**
 * The Pi extension (`pi.extensions` in package.json). Pi loads this file as it is and calls the function once per session.
 * Pi reads TypeScript by a loader of its own, file by file, which takes longer than all of Pi's own start. So only this file
 * goes through it: the rest is loaded by Node itself, from the sources, or from what is built of them in an installed
 * package, where Node reads no TypeScript.
 */
import { createRequire } from "node:module";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

type RegisterModule = typeof import("./register.ts");

export default async function weft(pi: ExtensionAPI): Promise<void> {
	const { register } = loadNatively() ?? (await import("./register.ts"));
	register(pi);
}

/** Undefined: this Node cannot, and Pi's loader does it. */
function loadNatively(): RegisterModule | undefined {
	const isInstalled = /[\\/]node_modules[\\/]/.test(import.meta.url);
	try {
		const load = createRequire(import.meta.url);
		return load(isInstalled ? "../../../dist/pi/installed-entry.js" : "./register.ts") as RegisterModule;
	} catch {
		return undefined;
	}
}
