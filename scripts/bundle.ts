/**
 * Bundles modules into few files for a fast start: finding and opening hundreds of files takes longer than running them. Part
 * of `npm run build`.
 *
 * dist/pi: the Pi extension in one file, with its lazy imports: even fifty files take longer than one.
 * The rest of dist: the command line, the library, the OpenClaw plugin and the inspector's workers, which share parts. A part is
 * loaded when a command needs it, because an agent's hook starts the command line for each tool call.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

/** The programs of the package, by their module's path. */
const PROGRAMS = [
	"show/cli/main",
	"index",
	"agent/openclaw/plugin",
	"show/inspector/server/replay-worker",
	"show/inspector/server/cost-worker",
];

async function bundlePrograms(outdir: string): Promise<void> {
	const { metafile } = await build({
		...OPTIONS,
		outdir,
		outbase: join(ROOT, "src"),
		entryPoints: PROGRAMS.map((name) => join(ROOT, "src", `${name}.ts`)),
		splitting: true,
		chunkNames: "parts/[name]-[hash]",
		metafile: true,
	});
	writeFileSync(join(outdir, "THIRD-PARTY-LICENSES"), licencesOf(Object.keys(metafile.inputs)));
}

/** The licences of the packages whose code is in the bundles. */
function licencesOf(files: readonly string[]): string {
	const packages = files
		.map((file) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file))
		.filter((match) => match !== null);
	const folders = new Map(packages.map(([folder, name]) => [name!, folder]));
	const texts = [...folders].sort().map(([name, folder]) => {
		const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
		if (!file) throw new Error(`${name} has no licence file. Add its licence text before shipping its code.`);
		return `${name}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
	});
	return texts.join("\n---\n\n");
}

if (import.meta.main) {
	const dist = join(ROOT, "dist");
	rmSync(dist, { recursive: true, force: true });
	await Promise.all([bundlePi(), bundlePrograms(dist)]);
}
