/**
 * The Pi extension (`pi.extensions` in package.json). Pi calls the function once per session. Pi's TypeScript loader reads
 * file by file and takes longer than the rest of Pi's start, so only this file goes through it. Node itself loads the rest:
 * from the sources in a checkout, or from the bundle in an installed package, where Node reads no TypeScript.
 */
import { createRequire } from "node:module";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

type RegisterModule = typeof import("./register.ts");

const IS_INSTALLED = /[\\/]node_modules[\\/]/.test(import.meta.url);
const MODULE = IS_INSTALLED ? "../../../dist/pi/installed-entry.js" : "./register.ts";

export default async function weft(pi: ExtensionAPI): Promise<void> {
	const { register } = loadNatively() ?? ((await import(MODULE)) as RegisterModule);
	register(pi);
}

/** Undefined: this Node cannot load it, so Pi's loader must. */
function loadNatively(): RegisterModule | undefined {
	try {
		return createRequire(import.meta.url)(MODULE) as RegisterModule;
	} catch {
		return undefined;
	}
}
