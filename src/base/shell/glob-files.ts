/** The files and folders that a path with `*`, `?` or `[…]` means now, part by part, as a shell expands it. Bounded. */
import { readdirSync } from "node:fs";
import { matchesGlob } from "./paths.ts";

const MAX_FOUND = 1_000;

/** A path without a glob is returned as it is. */
export function expandGlob(absolute: string): string[] {
	if (!isGlob(absolute)) return [absolute];
	let found = [""];
	for (const part of absolute.split("/").slice(1)) {
		if (!isGlob(part)) found = found.map((folder) => `${folder}/${part}`);
		else found = found.flatMap((folder) => namesIn(folder || "/", part).map((name) => `${folder}/${name}`));
		found = found.slice(0, MAX_FOUND);
	}
	return found;
}

/** The same, or where they are too many to name, the folder that they are in. */
export function placesOfGlob(absolute: string): string[] {
	const found = expandGlob(absolute);
	if (found.length < MAX_FOUND) return found;
	const parts = absolute.split("/");
	return [parts.slice(0, parts.findIndex(isGlob)).join("/") || "/"];
}

function isGlob(path: string): boolean {
	return /[*?[]/.test(path);
}

function namesIn(folder: string, pattern: string): string[] {
	try {
		return readdirSync(folder).filter((name) => matchesGlob(pattern, name));
	} catch {
		return [];
	}
}
