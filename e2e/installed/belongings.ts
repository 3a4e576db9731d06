/** What a user has, as bytes: a person who tries weft and removes it must find it unchanged. */
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Path → hash, of every file below these folders. */
export type Belongings = ReadonlyMap<string, string>;

export function belongings(...folders: readonly string[]): Belongings {
	const paths = folders.flatMap((folder) => globSync("**", { cwd: folder }).map((name) => join(folder, name)));
	return new Map(paths.flatMap((path) => hashOf(path) ?? []).map(({ path, hash }) => [path, hash]));
}

function hashOf(path: string): { readonly path: string; readonly hash: string } | undefined {
	if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
	return { path, hash: createHash("sha256").update(readFileSync(path)).digest("hex") };
}

/** Those that are gone or are other bytes. */
export function changedSince(before: Belongings): string[] {
	return [...before].filter(([path, hash]) => hashOf(path)?.hash !== hash).map(([path]) => path);
}

/** Files that were not there before and hold this text. */
export function newFilesNaming(text: string, before: Belongings, ...folders: readonly string[]): string[] {
	return [...belongings(...folders).keys()].filter((path) => !before.has(path) && readFileSync(path).includes(text));
}

export function writeFiles(files: Readonly<Record<string, string>>): void {
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	}
}
