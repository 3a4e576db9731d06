/**
 * Events name files relative to their session's folder, and sessions may run in different folders of a project. The state
 * has one name for a file, relative to the project's root. Works on text alone, as recorded sessions require.
 */

/** The prefix for a session's relative paths: "" or `packages/app/`. */
export function pathPrefix(cwd: string, root: string | undefined): string {
	if (root === undefined || root === "") return "";
	const base = withSlash(root);
	const folder = withSlash(cwd);
	return folder !== base && folder.startsWith(base) ? folder.slice(base.length) : "";
}

export function projectPath(path: string, prefix: string): string {
	if (prefix === "" || isAbsolute(path)) return path;
	const parts: string[] = [];
	for (const part of `${prefix}${path}`.split("/")) {
		if (part === "" || part === ".") continue;
		if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
		else parts.push(part);
	}
	return parts.join("/") || ".";
}

export function baseName(path: string): string {
	return path.slice(path.lastIndexOf("/") + 1);
}

function isAbsolute(path: string): boolean {
	return path.startsWith("/") || path.startsWith("~") || /^[A-Za-z]:[\\/]/.test(path);
}

function withSlash(path: string): string {
	const spelt = path.replaceAll("\\", "/");
	return spelt.endsWith("/") ? spelt : `${spelt}/`;
}
