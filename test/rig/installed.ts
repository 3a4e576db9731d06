/** weft as npm installs it: sources beside what was built from them, in a folder of packages. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { bundlePi } from "../../scripts/bundle-pi.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** The path of the extension that Pi loads. */
export async function installWeft(folder: string): Promise<string> {
	const own = join(folder, "node_modules", "weft-context");
	mkdirSync(own, { recursive: true });
	cpSync(join(ROOT, "src"), join(own, "src"), { recursive: true });
	cpSync(join(ROOT, "package.json"), join(own, "package.json"));
	await bundlePi(join(own, "dist", "pi"));
	return join(own, "src", "hosts", "pi", "index.ts");
}
