/**
 * A second name for all commits of a repository: a bare repository whose objects are hard links to those of the first. It
 * outlives a `rm -rf .git` or a `git gc`, takes no room while the first is there, and takes time by its number of files.
 */
import { existsSync, linkSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { EngineError } from "../error/engine-error.ts";
import { readBounded, textOf } from "../file/regular-file.ts";

/** Git packs its objects long before there are so many. */
const MAX_OBJECT_FILES = 100_000;
const MAX_TRIES = 3;
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/**
 * Links what is missing in `target`. Returns the bytes of all objects, or undefined: they are on another disk, belong to
 * another account, or are too many. What is linked by then stays and does no harm.
 */
export function linkObjects(gitFolder: string, target: string, maxBytes: number): number | undefined {
	const from = join(gitFolder, "objects");
	const to = join(target, "objects");
	let [files, bytes] = [0, 0];
	/** False: git has removed some of them meanwhile. */
	const linkFolder = (name: string): boolean => {
		mkdirSync(join(to, name), { recursive: true, mode: 0o700 });
		const linked = new Set(readdirSync(join(to, name)));
		let isWhole = true;
		for (const file of namesIn(join(from, name)).filter((each) => !/^tmp_|\.lock$/.test(each))) {
			const isLinked = linked.has(file) || linkFile(join(from, name, file), join(to, name, file));
			isWhole &&= isLinked;
			if (isLinked) bytes += statSync(join(to, name, file)).size;
			if (++files > MAX_OBJECT_FILES || bytes > maxBytes) throw new EngineError("refused", "Too many objects to link.");
		}
		return isWhole;
	};
	try {
		mkdirSync(join(to, "info"), { recursive: true, mode: 0o700 });
		for (const name of readdirSync(from).filter((each) => /^[0-9a-f]{2}$/.test(each))) linkFolder(name);
		// Git removes objects only when a pack has them, and a pack only when another has its objects.
		for (let tries = 0; !linkFolder("pack") && tries < MAX_TRIES; ) tries++;
		writeBareRepository(gitFolder, target);
		return bytes;
	} catch {
		return undefined;
	}
}

/** A commit that no branch has: with a ref, `git fetch` brings it into another repository. */
export function writeKeptRef(target: string, commit: string): void {
	mkdirSync(join(target, "refs/kept"), { recursive: true, mode: 0o700 });
	put(join(target, keptRef(commit)), `${commit}\n`);
}

export function keptRef(commit: string): string {
	return `refs/kept/${commit}`;
}

function namesIn(folder: string): string[] {
	return existsSync(folder) ? readdirSync(folder) : [];
}

/** False: git has removed it meanwhile. */
function linkFile(from: string, to: string): boolean {
	try {
		linkSync(from, to);
	} catch (cause) {
		const { code } = cause as { code?: string };
		if (code === "ENOENT") return false;
		// Another process was first.
		if (code !== "EEXIST") throw cause;
	}
	return true;
}

/** What git wants of a repository, and what decides how files look. Nothing that names a program. */
function writeBareRepository(gitFolder: string, target: string): void {
	mkdirSync(join(target, "refs"), { recursive: true, mode: 0o700 });
	const config = readText(join(gitFolder, "config")) ?? "";
	const isOtherHash = /^\s*objectformat\s*=\s*sha256\s*$/im.test(config);
	const looks = config.split("\n").filter((line) => /^\s*(?:autocrlf|eol)\s*=\s*\w+\s*$/i.test(line));
	const extensions = isOtherHash ? ["[extensions]", "objectformat = sha256"] : [];
	const lines = ["[core]", `repositoryformatversion = ${isOtherHash ? 1 : 0}`, ...looks, ...extensions, ""];
	put(join(target, "config"), lines.join("\n"));
	put(join(target, "HEAD"), "ref: refs/heads/none\n");
	const others = readText(join(gitFolder, "objects/info/alternates"));
	const folders = others?.split("\n").filter((line) => line !== "" && !line.startsWith("#")) ?? [];
	const absolute = folders.map((line) => resolve(join(gitFolder, "objects"), line));
	put(join(target, "objects/info/alternates"), absolute.map((line) => `${line}\n`).join(""));
	// Read as those of a work tree.
	const own = readText(join(gitFolder, "info/attributes")) ?? "";
	const tree = basename(gitFolder) === ".git" ? (readText(join(gitFolder, "../.gitattributes")) ?? "") : "";
	put(join(target, ".gitattributes"), `${tree}\n${own}`);
}

function put(path: string, text: string): void {
	if (readText(path) !== text) writeFileSync(path, text, { mode: 0o600 });
}

function readText(path: string): string | undefined {
	return textOf(readBounded(path, MAX_TEXT_BYTES));
}
