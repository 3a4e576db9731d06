/**
 * Puts modules into few files, for a fast start: hundreds of them take longer to find and open than to run. Part of
 * `npm run build`.
 *
 * dist/pi: what Pi loads, in one file, with what is imported later in it: even fifty files take longer than one.
 * dist/show/cli: the command line, in files by what a command needs: an agent's hook starts it anew for each call of a tool.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";

const ROOT = join(import.meta.dirname, "..");

const OPTIONS: BuildOptions = {
	bundle: true,
	platform: "node",
	format: "esm",
	target: "node22",
	// Some packages have a form in which their parts ask for each other by a computed name, and one for bundlers.
	mainFields: ["module", "main"],
	// The agents themselves are there already; the others are large, or not everybody's, and seldom needed.
	external: ["@earendil-works/*", "@secretlint/*", "pg", "pg-copy-streams", "esbuild"],
	// Packages in the old form ask for Node's own modules by `require`, which a module does not have.
	banner: { js: 'import{createRequire as nodeRequire}from"node:module";const require=nodeRequire(import.meta.url);' },
	minifyWhitespace: true,
	minifySyntax: true,
	logLevel: "warning",
};

export async function bundlePi(outdir = join(ROOT, "dist", "pi")): Promise<void> {
	rmSync(outdir, { recursive: true, force: true });
	const entry = (name: string) => [join(ROOT, "src", "agent", "pi", `${name}.ts`)];
	await build({ ...OPTIONS, outdir, entryPoints: entry("built") });
	await build({
		...OPTIONS,
		outdir,
		entryPoints: entry("register"),
		// One function, as `base/file/compiled-script.ts` runs it.
		format: "cjs",
		banner: { js: "(function(exports,require,module,file){const ownUrl=require('node:url').pathToFileURL(file).href;" },
		footer: { js: "})" },
		define: { "import.meta.url": "ownUrl" },
	});
}

async function bundleCommandLine(outdir = join(ROOT, "dist", "show", "cli")): Promise<void> {
	rmSync(outdir, { recursive: true, force: true });
	const entryPoints = [join(ROOT, "src", "show", "cli", "main.ts")];
	await build({ ...OPTIONS, outdir, entryPoints, splitting: true, chunkNames: "parts/[name]-[hash]" });
}

if (import.meta.main) await Promise.all([bundlePi(), bundleCommandLine()]);
