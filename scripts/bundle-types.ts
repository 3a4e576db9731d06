/** Removes the declarations in `dist/types` that the library's own do not import. Part of `npm run build`. */
import { globSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const TYPES = join(import.meta.dirname, "..", "dist", "types");

const needed = new Set<string>();
collect(join(TYPES, "index.d.ts"));
for (const name of globSync("**/*.d.ts", { cwd: TYPES })) if (!needed.has(join(TYPES, name))) rmSync(join(TYPES, name));
for (const name of globSync("**/", { cwd: TYPES }).sort().reverse()) removeIfEmpty(join(TYPES, name));

function collect(file: string): void {
	if (needed.has(file)) return;
	needed.add(file);
	for (const [, path] of readFileSync(file, "utf8").matchAll(/["'](\.{1,2}\/[^"']+)\.ts["']/g)) {
		collect(join(dirname(file), `${path}.d.ts`));
	}
}

function removeIfEmpty(folder: string): void {
	try {
		rmdirSync(folder);
	} catch {
		// It holds a declaration.
	}
}
