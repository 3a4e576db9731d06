/** The page's script and style. The package contains them built; a checkout builds them when the inspector starts. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EngineError } from "../../../base/error/engine-error.ts";
import { ownModule, ownPath } from "../../../base/file/package-file.ts";

export interface Assets {
	readonly script: string;
	readonly style: string;
}

export async function readAssets(): Promise<Assets> {
	const built = ownModule("show/inspector/page/page");
	if (built === undefined) return buildAssets(ownPath("src", "show", "inspector", "page"));
	return { script: readFileSync(built, "utf8"), style: readFileSync(built.replace(/js$/, "css"), "utf8") };
}

/** `folder`: the page's sources. */
export async function buildAssets(folder: string): Promise<Assets> {
	const esbuild = await import("esbuild").catch((cause: unknown) => {
		throw new EngineError("not-shipped", "The inspector's page is not built. Run 'npm run build' in the checkout.", {
			cause,
		});
	});
	const { outputFiles } = await esbuild.build({
		entryPoints: [join(folder, "main.tsx")],
		bundle: true,
		minify: true,
		format: "iife",
		target: "es2022",
		// Shorter than the automatic form, which names the children of every element: 6 % of the script.
		tsconfigRaw: "{}",
		jsx: "transform",
		jsxFactory: "h",
		jsxFragment: "Fragment",
		inject: [join(folder, "jsx-factory.ts")],
		charset: "ascii",
		write: false,
		outfile: "page.js",
		logLevel: "silent",
	});
	const text = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? "";
	return { script: text(".js"), style: text(".css") };
}

export function document(title: string): string {
	return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css"><script src="/page.js" defer></script></head><body><div id="app"></div></body></html>
`;
}

/** Only the page's own script runs, and it reaches only this server. */
export const CONTENT_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self' data:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
].join("; ");

/** The policy of a saved file, which allows its inline scripts and style by their hashes. */
export function inlinePolicy(parts: { readonly scripts: readonly string[]; readonly style: string }): string {
	const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
	return `default-src 'none'; script-src ${parts.scripts.map(hash).join(" ")}; style-src ${hash(parts.style)}; img-src data:; base-uri 'none'; form-action 'none'`;
}
