/**
 * Bundles modules into few files for a fast start: finding and opening hundreds of files takes longer than running them. Part
 * of `npm run build`.
 *
 * dist/pi: the Pi extension in one file, with its lazy imports: even fifty files take longer than one.
 * dist/show/cli: the command line, split by command, because an agent's hook starts it for each tool call.
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
	// Some packages load their parts by computed names; their ES module form suits bundlers.
	mainFields: ["module", "main"],
	// The agents are installed already; the others are large or optional, and seldom needed.
	external: ["@earendil-works/*", "@secretlint/*", "pg", "esbuild"],
	// CommonJS packages load Node's own modules with `require`, which an ES module lacks.
	banner: { js: 'import{createRequire as nodeRequire}from"node:module";const require=nodeRequire(import.meta.url);' },
	minifyWhitespace: true,
	minifySyntax: true,
	logLevel: "warning",
};

export async function bundlePi(outdir = join(ROOT, "dist", "pi")): Promise<void> {
	rmSync(outdir, { recursive: true, force: true });
	const entry = (name: string) => [join(ROOT, "src", "agent", "pi", `${name}.ts`)];
	await build({ ...OPTIONS, outdir, entryPoints: entry("installed-entry") });
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
