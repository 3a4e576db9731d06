/**
 * Rewinds a file or a folder to an event. First a plan: what differs, and from where the bytes come. Carrying it out keeps
 * what is there now, then writes each file whole or not at all. It never touches `.git`, never writes outside the folder, and
 * leaves alone what it does not know.
 */
import { hash } from "node:crypto";
import {
	chmodSync,
	constants,
	copyFileSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readlinkSync,
	realpathSync,
	renameSync,
	rmdirSync,
	rmSync,
	symlinkSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { EngineError } from "../../base/error/engine-error.ts";
import { linkStatOf, readBounded } from "../../base/file/regular-file.ts";
import { isCheckedOut } from "../../base/git/held-file.ts";
import { keptRef } from "../../base/git/linked-objects.ts";
import { commitFolderOf, stashesOf } from "../../base/git/work-tree.ts";
import { quoteWord } from "../../base/shell/quote-word.ts";
import { plural } from "../../base/text/bytes.ts";
import { oneLine } from "../../base/text/printable.ts";
import type { Log } from "../../log/log.ts";
import { changedAt, Keeper } from "../keeper.ts";
import type { KeptStaged } from "../kept-files.ts";
import { listUnheldFiles } from "../unheld-files.ts";
import { type FileAt, FolderAt, type KeptStash } from "./file-at.ts";

export interface RewindStep {
	/** Relative to the root. */
	readonly path: string;
	readonly how: "write" | "remove" | "leave";
	/** Of `leave`: why. */
	readonly why?: string | undefined;
	readonly size?: number | undefined;
}

export interface RewindPlan {
	readonly root: string;
	readonly seq: number;
	readonly steps: readonly RewindStep[];
	/** Files that are as they were. */
	readonly same: number;
	/** Texts that only git's index had then, and has not now. A rewind does not touch the index: they come back by handle. */
	readonly staged: readonly KeptStaged[];
	/** Stashes of then that are not in the list now. */
	readonly stashes: readonly KeptStash[];
}

interface PlannedFile {
	readonly step: RewindStep;
	readonly then: FileAt;
}

/** A person waits for it, and a file that is left out does not come back. */
const MAX_PLANNED = 1_000_000;
const MAX_COMPARED_BYTES = 64 * 1024 * 1024;
/** Waiting for the disk takes some ms a file. After a power cut a large rewind is run again: the log has all bytes. */
const MAX_FLUSHED = 256;

interface WriteOptions {
	/** Wait until the bytes are on the disk. */
	readonly flush: boolean;
}

export class Rewind {
	readonly plan: RewindPlan;
	readonly #files: readonly PlannedFile[];
	readonly #log: Log;

	/** `paths`: files, and folders with `/` at their ends, relative to the root; none: everything. */
	constructor(log: Log, at: { readonly root: string; readonly seq: number; readonly paths: readonly string[] }) {
		const { root, seq, paths } = at;
		this.#log = log;
		const folder = new FolderAt(log, root, seq);
		if (!folder.isKnown && paths.length === 0) {
			throw new EngineError("not-found", `Nothing was kept of ${root} at #${seq}. 'weft rewind' lists the moments.`);
		}
		const known = paths.length === 0 ? [] : folder.paths();
		const isFolder = (path: string) => path.endsWith("/") || known.some((each) => each.startsWith(`${path}/`));
		const named = new Set(paths.filter((path) => !isFolder(path)));
		const wanted = pathsToPlan(folder, paths.length === 0 ? [""] : paths.filter(isFolder), named);
		const then = folder.files(wanted.paths);
		const gone = wanted.paths.filter((each) => then.get(each)?.kind === "file" && !linkStatOf(join(root, each)));
		// A file that is asked for by its name comes back in any case.
		const unsure = folder.mayHaveBeenGone(gone.filter((each) => !named.has(each)));
		const planned = (each: string, isOtherwiseIgnored: boolean) =>
			planFile(folder, each, then.get(each) ?? { kind: "absent" }, { ...wanted, unsure, isOtherwiseIgnored });
		const isOtherwiseIgnored = wanted.paths.some(
			(each) => basename(each) === ".gitignore" && planned(each, true) !== undefined,
		);
		const files = wanted.paths.map((each) => planned(each, isOtherwiseIgnored));
		const changing = withoutObstacles(
			root,
			files.filter((file) => file !== undefined),
		);
		this.#files = changing;
		const steps = changing.map(({ step }) => step);
		this.plan = { root, seq, steps, same: files.length - changing.length, ...droppedFromGit(folder, paths) };
	}

	/** The bytes of a file then; undefined: none. */
	textThen(path: string): Buffer | undefined {
		const then = this.#files.find(({ step }) => step.path === path)?.then;
		const bytes = then?.kind === "file" ? then.read() : undefined;
		return bytes instanceof Buffer ? bytes : undefined;
	}

	/** Keeps what is there now, then writes. Returns the seq to rewind to for undoing it. */
	apply(of: { readonly maxBytes: number; readonly now: () => number; readonly command: string }): number {
		const { root, steps } = this.plan;
		const keeper = new Keeper({ log: this.#log, maxBytes: of.maxBytes, now: of.now });
		const call = {
			session: "rewind",
			host: "weft",
			cwd: root,
			tool: "rewind",
			callId: `rewind-${of.now()}`,
			input: { command: of.command },
		};
		const touched = steps
			.filter(({ how }) => how !== "leave")
			.map(({ path }) => join(root, path))
			.filter((path) => !isFolderNow(path));
		const tree = keeper.keepTree(call, root, "rewind", { isMoment: true });
		const [whole] = this.#log.append(tree.events).seqs;
		// Also those that git ignores, or holds but would not check out alike.
		const single = keeper.keepFiles(call, touched, "rewind");
		const [named] = this.#log.append(single.events).seqs;
		const lost = [...single.left, ...tree.left].filter(({ path }) => touched.includes(join(root, path)));
		if (lost.length > 0) {
			const names = lost.map(({ path, why }) => `${path} (${why})`).join(", ");
			throw new EngineError("refused", `Nothing was written: what is there now could not be kept: ${names}.`);
		}
		// A file may take the place of a folder, and the reverse.
		const removals = this.#files.filter(({ step }) => step.how === "remove");
		const flush = steps.length <= MAX_FLUSHED;
		for (const { step, then } of removals) carryOut(root, step, then, { flush });
		for (const { step, then } of this.#files) if (step.how === "write") carryOut(root, step, then, { flush });
		return named ?? whole ?? 0;
	}

	/** Writes the files as they were into a new folder. */
	writeInto(target: string): void {
		if (isInGit(target)) throw new EngineError("refused", `${target} belongs to git. Choose another folder.`);
		if (existsSync(target) && readdirSync(target).length > 0) {
			throw new EngineError("refused", `${target} is not empty. Choose another folder.`);
		}
		for (const { step, then } of this.#files) {
			if (then.kind === "file") putFile(join(target, step.path), then, { flush: this.#files.length <= MAX_FLUSHED });
		}
		for (const { path, hash: name, mode, size } of this.plan.staged) {
			const read = () => (name === undefined ? undefined : this.#log.getBlob(name));
			const then = { kind: "file", mode: mode || 0o644, isLink: false, size, hash: name, read } as const;
			putFile(join(target, `${path}.staged`), then, { flush: true });
		}
	}
}

/** What the index and the stash list have no more, of files and folders, or of everything. */
function droppedFromGit(folder: FolderAt, paths: readonly string[]): Pick<RewindPlan, "staged" | "stashes"> {
	const { root } = folder;
	const isWanted = (each: string) =>
		paths.length === 0 ||
		paths.some((path) => each === path || each.startsWith(path.endsWith("/") ? path : `${path}/`));
	const then = folder.staged.filter((text) => isCheckedOut(text.path) && isWanted(text.path));
	const now = new Set((then.length === 0 ? [] : (listUnheldFiles(root).staged ?? [])).map(({ object }) => object));
	const stashes = paths.length === 0 ? folder.stashes : [];
	const listed = stashes.length === 0 ? [] : stashesOf(commitFolderOf(root) ?? join(root, ".git"));
	const isListed = new Set(listed.map(({ commit }) => commit));
	return {
		staged: then.filter(({ object }) => !now.has(object)),
		stashes: stashes.filter(({ commit }) => !isListed.has(commit)),
	};
}

/** The named files, and all below the folders that git did not hold then or does not hold now, and that the two commits do not have alike. */
function pathsToPlan(
	folder: FolderAt,
	folders: readonly string[],
	named: ReadonlySet<string>,
): { readonly paths: string[]; readonly created: ReadonlySet<string> } {
	if (folders.length === 0) return { paths: [...named], created: new Set() };
	const { root } = folder;
	const now = listUnheldFiles(root, { limit: MAX_PLANNED });
	const moved = folder.pathsHeldOtherwise(now);
	const then = folder.paths();
	const unheld = now.files.filter(({ ignored }) => !ignored).map(({ path }) => path);
	// Of a work tree that the project ignores.
	const changed = now.files.filter(({ ignored, tracked }) => ignored && tracked).map(({ path }) => path);
	const created = new Set(now.missing === undefined ? unheld : []);
	const paths = new Set([...then, ...unheld, ...changed, ...moved]);
	const names = folders.map((each) => each.replace(/\/$/, ""));
	const isBelow = (path: string) => names.some((name) => name === "" || path === name || path.startsWith(`${name}/`));
	return {
		paths: [...new Set([...[...paths].filter(isBelow), ...named])].sort(),
		created: new Set([...created, ...moved].filter((path) => !named.has(path))),
	};
}

interface PlanOptions {
	/** Files that git does not hold now. */
	readonly created: ReadonlySet<string>;
	/** Files that may have been gone then. */
	readonly unsure: ReadonlySet<string>;
	readonly isOtherwiseIgnored: boolean;
}

/** Undefined: it is as it was. */
function planFile(
	folder: FolderAt,
	path: string,
	then: FileAt,
	{ created, unsure, isOtherwiseIgnored }: PlanOptions,
): PlannedFile | undefined {
	const { root } = folder;
	const absolute = resolve(root, path);
	const leave = (why: string): PlannedFile => ({ step: { path, how: "leave", why }, then });
	const stat = linkStatOf(absolute);
	// The disk itself proves that nothing happened to it since.
	if (stat && !stat.isDirectory() && folder.isBefore(path, changedAt(stat))) return undefined;
	if (then.kind === "unknown") return leave(then.why);
	if (then.kind === "absent") {
		if (!stat) return undefined;
		if (stat.isDirectory()) return leave("a folder is there now");
		if (isInRepositoryInside(root, path)) return leave("it belongs to a repository inside this one");
		return then.isSure || (created.has(path) && folder.isNewSince(path, Number(stat.birthtimeMs), isOtherwiseIgnored))
			? { step: { path, how: "remove" }, then }
			: leave("nothing is known of it then");
	}
	if (path.split("/").includes(".git")) return leave("it belongs to git");
	if (!stat && folder.wasGone(path)) return undefined;
	if (unsure.has(path)) return leave("it may have been gone by then; name the file to bring it back");
	const bytes = then.read();
	if (bytes === undefined) return leave("its bytes then were not kept, or have left to make room");
	if (stat && isAsThen(absolute, then, bytes)) return undefined;
	const size = bytes instanceof Buffer ? bytes.length : then.size;
	return { step: { path, how: "write", size }, then };
}

/** A write waits where a folder or a file is in its place that the plan does not remove. */
function withoutObstacles(root: string, files: readonly PlannedFile[]): PlannedFile[] {
	const removed = new Set(files.filter(({ step }) => step.how === "remove").map(({ step }) => step.path));
	return files.map((file) => {
		const { step, then } = file;
		if (step.how !== "write") return file;
		const leave = (why: string): PlannedFile => ({ step: { path: step.path, how: "leave", why }, then });
		// It is outside, and goes into another folder.
		if (step.path.startsWith("/")) return file;
		const absolute = join(root, step.path);
		if (isFolderNow(absolute)) {
			const held = readdirSync(absolute, { recursive: true, withFileTypes: true }).filter(
				(each) => !each.isDirectory(),
			);
			const isCleared = held.every((each) => removed.has(join(each.parentPath, each.name).slice(root.length + 1)));
			return isCleared ? file : leave("a folder with other files is there now");
		}
		const isInTheWay = foldersAround(step.path).some((at) => {
			const stat = linkStatOf(join(root, at));
			return stat && !stat.isDirectory() && !stat.isSymbolicLink() && !removed.has(at);
		});
		return isInTheWay ? leave("a file is in its way") : file;
	});
}

function isFolderNow(absolute: string): boolean {
	return linkStatOf(absolute)?.isDirectory() ?? false;
}

/** By its name, or by where a link on the way leads. */
function isInGit(target: string): boolean {
	let folder = target;
	while (!existsSync(folder)) folder = dirname(folder);
	return [target, realpathSync(folder)].some((path) => path.split("/").includes(".git"));
}

function isAsThen(
	absolute: string,
	then: Extract<FileAt, { kind: "file" }>,
	bytes: Buffer | { readonly copy: string },
): boolean {
	const stat = lstatSync(absolute);
	if (stat.isDirectory()) return false;
	if (stat.isSymbolicLink() !== then.isLink) return false;
	if (then.isLink) return bytes instanceof Buffer && readlinkSync(absolute, { encoding: "buffer" }).equals(bytes);
	const isExecutable = (mode: number) => (mode & 0o111) !== 0;
	if (!stat.isFile() || isExecutable(stat.mode) !== isExecutable(then.mode)) return false;
	if (!(bytes instanceof Buffer) || stat.size !== bytes.length) return false;
	const now = readBounded(absolute, MAX_COMPARED_BYTES);
	return now.kind === "bytes" && now.bytes.equals(bytes);
}

/** A submodule, or a repository or work tree inside this one. */
function isInRepositoryInside(root: string, path: string): boolean {
	return foldersAround(path).some((at) => existsSync(join(root, at, ".git")));
}

/** Of a path inside the root, the innermost first. */
function foldersAround(path: string): string[] {
	const found: string[] = [];
	for (let at = dirname(path); at !== "." && at !== "/"; at = dirname(at)) found.push(at);
	return found;
}

function carryOut(root: string, { path, how }: RewindStep, then: FileAt, options: WriteOptions): void {
	const absolute = join(root, path);
	if (how === "leave") return;
	refuseOutside(root, absolute);
	if (how === "remove") {
		if (existsSync(dirname(absolute))) unlinkSync(absolute);
	} else if (then.kind === "file") {
		if (isFolderNow(absolute)) removeEmptyFolders(absolute);
		putFile(absolute, then, options);
	}
}

/** Fails where a file is left. */
function removeEmptyFolders(folder: string): void {
	for (const entry of readdirSync(folder)) removeEmptyFolders(join(folder, entry));
	rmdirSync(folder);
}

/** A folder on the way may have become a link that leads elsewhere. */
function refuseOutside(root: string, absolute: string): void {
	let folder = dirname(absolute);
	while (!existsSync(folder)) folder = dirname(folder);
	const real = realpathSync(folder);
	const inside = realpathSync(root);
	if (real !== inside && !real.startsWith(`${inside}/`)) {
		throw new EngineError("refused", `${absolute} leads out of the project (${real}). Nothing more was written.`);
	}
}

/** Whole or not at all, also if the process ends here. */
function putFile(absolute: string, then: Extract<FileAt, { kind: "file" }>, { flush }: WriteOptions): void {
	const bytes = then.read();
	if (bytes === undefined) return;
	mkdirSync(dirname(absolute), { recursive: true });
	const fresh = join(dirname(absolute), `.weft-${hash("sha256", absolute, "hex").slice(0, 12)}`);
	rmSync(fresh, { force: true });
	try {
		if (then.isLink && bytes instanceof Buffer) symlinkSync(bytes, fresh);
		else {
			if ("buffer" in bytes) writeFileSync(fresh, bytes, { flush });
			else copyFileSync(bytes.copy, fresh, constants.COPYFILE_FICLONE);
			chmodSync(fresh, then.mode);
		}
		renameSync(fresh, absolute);
	} finally {
		rmSync(fresh, { force: true });
	}
}

/** The plan in words. */
export function renderSteps({ steps, same, staged, stashes }: RewindPlan): string[] {
	const lines = steps.map(({ path, how, why, size }) =>
		how === "leave"
			? `leave   ${path}: ${why}`
			: `${how.padEnd(7)} ${path}${size === undefined ? "" : ` (${plural(size, "byte")})`}`,
	);
	const texts = staged.map(({ path, hash: name, size }) =>
		name === undefined
			? `staged  ${path}: its bytes were not kept`
			: `staged  ${path} (${plural(size, "byte")}): b-${name.slice(0, 12)}`,
	);
	const dropped = stashes.flatMap(({ commit, what, from }) => {
		const fetch = from === undefined ? "" : `git fetch -q ${quoteWord(from)} ${keptRef(commit)} && `;
		return [`stash   ${oneLine(what)}`, `        ${fetch}git stash store -m ${quoteWord(what)} ${commit}`];
	});
	const gits = [
		...texts,
		...(texts.length > 0 ? ["A rewind leaves the index alone. --into DIR writes staged texts as FILE.staged."] : []),
		...dropped,
		...(dropped.length > 0 ? ["The line below a stash puts it back into the list."] : []),
	];
	return [
		...lines,
		...gits,
		...(same > 0 ? [`${plural(same, "file")} as ${same === 1 ? "it was" : "they were"}`] : []),
	];
}

/** A path that a person gives, relative to the root. Refuses git's own files, and what is outside unless it goes elsewhere. */
export function rewindPath(
	root: string,
	given: string,
	{ cwd, isElsewhere = false }: { readonly cwd: string; readonly isElsewhere?: boolean | undefined },
): string {
	const absolute = resolve(cwd, given);
	const isInside = absolute === root || absolute.startsWith(`${root}/`);
	if (!isInside && !isElsewhere) throw new EngineError("refused", `${given} is outside the project ${root}.`);
	const path = isInside ? absolute.slice(root.length + 1) : absolute;
	if (path.split("/").includes(".git")) throw new EngineError("refused", `${given} belongs to git.`);
	return given.endsWith("/") || (linkStatOf(absolute)?.isDirectory() ?? false) ? `${path}/` : path;
}
