import { readFileSync } from "node:fs";

/** The package's version; its manifest lies two folders up from `src/cli` and from `dist/cli` alike. */
export function weftVersion(): string {
	const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
		version: string;
	};
	return manifest.version;
}
