/**
 * One spelling per file: relative to the session's folder with forward slashes if the file is inside it, else absolute.
 * Works on text alone, because recorded sessions name disks that this machine does not have, Windows disks among them.
 */
export function sessionPath(path: string, cwd: string | undefined): string {
	const spelt = path.trim().replace(/^file:\/\/(?=\/)/, "");
	if (spelt === "~") return spelt;
	if (/^~[/\\]/.test(spelt)) return `~${normalise(spelt.slice(1).replaceAll("\\", "/"))}`;
	const windows = isWindows(cwd ?? "") || isWindows(spelt);
	const file = windows ? spelt.replaceAll("\\", "/") : spelt;
	if (cwd === undefined || cwd === "") return normalise(file);
	const folder = folderOf(windows ? cwd.replaceAll("\\", "/") : cwd);
	const absolute = normalise(isAbsolute(file, windows) ? file : `${folder}/${file}`);
	return inside(absolute, folder, windows) ?? absolute;
}

let lastFolder = { cwd: "", folder: "" };

/** Remembers the last folder: it is nearly always the same. */
function folderOf(cwd: string): string {
	if (lastFolder.cwd !== cwd) lastFolder = { cwd, folder: normalise(cwd) };
	return lastFolder.folder;
}

function inside(file: string, folder: string, windows: boolean): string | undefined {
	const base = folder.endsWith("/") ? folder : `${folder}/`;
	// C:\Work and c:\work are one folder on Windows and two everywhere else.
	const same = (text: string) => (windows ? text.toLowerCase() : text);
	if (same(file) === same(folder)) return ".";
	return same(file).startsWith(same(base)) ? file.slice(base.length) : undefined;
}

function normalise(path: string): string {
	const root = /^(?:[A-Za-z]:)?\/+/.exec(path)?.[0].replace(/\/+$/, "/") ?? "";
	const parts: string[] = [];
	for (const part of path.slice(root === "" ? 0 : root.length).split("/")) {
		if (part === "" || part === ".") continue;
		if (part !== "..") parts.push(part);
		else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
		else if (root === "") parts.push(part);
	}
	return root + parts.join("/") || ".";
}

function isAbsolute(path: string, windows: boolean): boolean {
	return path.startsWith("/") || (windows && /^[A-Za-z]:\//.test(path));
}

function isWindows(path: string): boolean {
	return /^[A-Za-z]:[\\/]/.test(path) || path.startsWith("\\\\");
}
