/**
 * Puts what Pi loads of weft into one file in `dist/pi`: three hundred modules take as long to find and open as half of
 * Pi's own start, and fifty still take longer than one. What is imported later is in it too, and runs when it is
 * imported. Part of `npm run build`.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "..");

export async function bundlePi(outdir = join(ROOT, "dist", "pi")): Promise<void> {
	rmSync(outdir, { recursive: true, force: true });
	await build({
		entryPoints: [join(ROOT, "src", "hosts", "pi", "register.ts")],
		outdir,
		bundle: true,
		splitting: false,
		platform: "node",
		format: "esm",
		target: "node22",
		// Pi itself is there already; the rule set for secrets is large, and seldom needed.
		external: ["@earendil-works/*", "@secretlint/*"],
		// Packages in the old form ask for Node's own modules by `require`, which a module does not have.
		banner: { js: 'import{createRequire as nodeRequire}from"node:module";const require=nodeRequire(import.meta.url);' },
		minifyWhitespace: true,
		minifySyntax: true,
		logLevel: "warning",
	});
}

if (import.meta.main) await bundlePi();
