import { isAbsolute, relative, resolve, sep } from "node:path";

/**
 * A file as events name it, from how a person types it: relative to the project's root with forward slashes, absolute
 * outside it. A trailing slash stays: it means everything in the folder.
 */
export function eventFile(given: string, cwd: string, root: string): string {
	const folder = /[/\\]$/.test(given) ? "/" : "";
	const path = relative(root, resolve(cwd, given));
	const outside = path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
	if (outside && !isAbsolute(given)) return given;
	return (outside ? resolve(given) : path.split(sep).join("/")) + folder;
}
