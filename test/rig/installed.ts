/** weft as npm installs it: what was built, in a folder of packages. */
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundlePi } from "../../scripts/bundle.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** The path of the extension that Pi loads. */
export async function installWeft(folder: string): Promise<string> {
	const own = join(folder, "node_modules", "weft-context");
	for (const name of ["src/agent/pi/index.ts", "package.json"]) cpSync(join(ROOT, name), join(own, name));
	linkDependencies(join(folder, "node_modules"));
	await bundlePi(join(own, "dist", "pi"));
	return join(own, "src", "agent", "pi", "index.ts");
}

function linkDependencies(folder: string): void {
	const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
		readonly dependencies: Readonly<Record<string, string>>;
	};
	for (const name of Object.keys(dependencies)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		symlinkSync(join(ROOT, "node_modules", name), join(folder, name));
	}
}
