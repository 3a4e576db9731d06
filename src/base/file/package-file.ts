/**
 * The package's own files. The build bundles modules into a few files, so a module cannot rely on its own location: ask
 * here for the package's folder, its version, or another module's path.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(import.meta.url);

/** True: the sources of a checkout run directly. Node reads no TypeScript in an installed package. */
const IS_CHECKOUT = HERE.endsWith(".ts") && !/[\\/]node_modules[\\/]/.test(HERE);

let folder: string | undefined;

/** A path in the package, whose folder is the nearest one above with a manifest. */
export function ownPath(...parts: readonly string[]): string {
	folder ??= packageFolder(dirname(HERE));
	return join(folder, ...parts);
}

/** The text of a file that weft ships. */
export function readOwnText(...parts: readonly string[]): string {
	return readFileSync(ownPath(...parts), "utf8");
}

export function ownVersion(): string {
	const manifest = JSON.parse(readOwnText("package.json")) as { readonly version: string };
	return manifest.version;
}

/** The path of a module with its own process, such as `show/cli/main`; undefined: this copy does not have it. */
export function ownModule(name: string): string | undefined {
	const path = IS_CHECKOUT ? ownPath("src", `${name}.ts`) : ownPath("dist", `${name}.js`);
	return existsSync(path) ? path : undefined;
}

function packageFolder(from: string): string {
	const above = dirname(from);
	return above === from || existsSync(join(from, "package.json")) ? from : packageFolder(above);
}
