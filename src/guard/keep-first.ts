/**
 * Before a command: what it could take is kept. Known files with unseen text always; and where the line may overwrite or
 * remove unknown files, everything that git does not hold. In doubt, keep.
 */
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { EngineError } from "../base/error/engine-error.ts";
import { linkStatOf } from "../base/file/regular-file.ts";
import { sha256 } from "../base/hash/sha256.ts";
import { effectsOf, type SeenWrite } from "../base/shell/effects.ts";
import { type FileRisk, fileRiskOf } from "../base/shell/file-risk.ts";
import { placesOfGlob } from "../base/shell/glob-files.ts";
import { formatBytes } from "../base/text/bytes.ts";
import { oneLine } from "../base/text/printable.ts";
import { projectRoot } from "../log/home.ts";
import { commandText } from "../state/session/shell-command.ts";
import type { ToolClass } from "../state/session/tool-class.ts";
import { locate, locateNamed } from "./call.ts";
import type { UnseenBefore } from "./earlier-calls.ts";
import { findRecord } from "./file-record.ts";
import { joinOutcomes, type World } from "./judge.ts";
import { type Keeper, type Keeping, type LeftFile, pathIn } from "./keeper.ts";
import { findUnseenFiles } from "./known-look.ts";
import { type KeptBefore, NOTHING_KEPT } from "./taken-files.ts";
import type { GuardCall, Outcome } from "./types.ts";
import { object, warn } from "./verdict.ts";
import { reaches } from "./writer.ts";

const MAX_ROOTS = 4;
const MAX_NAMED = 5;
const MAX_LATE_BYTES = 256 * 1024;

/** `late`: files that commands which still run may write. */
export function keepBeforeCommand(
	call: GuardCall,
	of: ToolClass,
	{ keeper, late }: { readonly keeper: Keeper; readonly late: readonly string[] },
	world: World,
): { readonly kept: KeptBefore; readonly outcome: Outcome } {
	const line = of === "shell" ? commandText(call.input) : undefined;
	// An unknown tool may change anything, but most do not.
	const atRisk = late.filter((path) => isSmall(path, world.files));
	const ownRisk = line === undefined ? "none" : fileRiskOf(line);
	const risk = ownRisk === "none" && line !== undefined && atRisk.length > 0 ? "named" : ownRisk;
	const unseen = findUnseenFiles(call, world);
	const named =
		ownRisk === "named" && line !== undefined
			? effectsOf(line).writes.flatMap((write) =>
					placesOf(locateNamed(write.path, call).absolute, write, projectRoot(call.cwd)),
				)
			: [];
	// The line does not name the other names of a file that has two.
	const isWide = risk === "any" || named.some((path) => (linkStatOf(path)?.nlink ?? 1n) > 1n);
	const keepings = isWide && line !== undefined ? keepFolders(call, line, keeper) : [];
	const known = unseen.flatMap(({ target }) => placesOf(target.absolute, { how: "modify" }, projectRoot(call.cwd)));
	const paths = [...known, ...named, ...atRisk];
	const single = [...new Set(paths)].filter((path) => !isKept(keepings, path));
	if (single.length > 0) keepings.push(keeper.keepFiles(call, single, "command", risk !== "none"));
	const kept = { risk: risk === "none" && line === undefined ? ("any" as FileRisk) : risk, keepings, unseen };
	const events = keepings.flatMap((keeping) => keeping.events);
	const left = keepings.flatMap((keeping) => keeping.left.map((file) => ({ ...file, root: keeping.root })));
	const told = left.length === 0 ? [] : [tellLeft(call, line ?? "", left, world)];
	return { kept, outcome: joinOutcomes([{ action: "pass", notes: [], events }, ...told]) };
}

/** What a process that is gone kept before a call: in some agents, the hooks before and after a tool are two processes. */
export function findKeptBefore(
	call: GuardCall,
	of: ToolClass,
	{ keeper, unseen: found }: { readonly keeper: Keeper; readonly unseen: readonly UnseenBefore[] | undefined },
	{ state }: World,
): KeptBefore {
	const line = of === "shell" ? commandText(call.input) : undefined;
	const risk = line === undefined ? "none" : fileRiskOf(line);
	if (risk === "none") return NOTHING_KEPT;
	const keepings = keeper.keepingsOf(call);
	if (found)
		return { risk, keepings, unseen: found.map(({ path, hash }) => ({ target: locate(path, call.cwd), hash })) };
	const unseen = keepings.flatMap(({ root, files, seq = 0 }) =>
		[...files.values()].flatMap(({ path, hash, link }) => {
			const target = locate(locate(path, root).absolute, call.cwd);
			const record = findRecord(state.files, call, target.path);
			// Another call of the batch has looked since: the record does not say any more what was known before.
			if (!record || link || record.seq > seq) return [];
			return record.hash !== hash || record.unread.length > 0 ? [{ target, hash }] : [];
		}),
	);
	return { risk, keepings, unseen };
}

/** The project of each folder in which a command of the line runs, and folders outside that it removes or overwrites. */
function keepFolders(call: GuardCall, line: string, keeper: Keeper): Keeping[] {
	const { folders, writes, dropsCommits, updatesTree, takesIgnored } = effectsOf(line);
	const here = call.folder ?? call.cwd;
	const removed = writes
		.filter(({ how }) => how === "delete")
		.map((write) => ({ ...write, ...locateNamed(write.path, call) }));
	const isGitAtRisk = (root: string) =>
		(dropsCommits && updatesTree) || removed.some((write) => reaches(write, join(root, ".git")));
	const roots = new Set([projectRoot(call.cwd)]);
	for (const folder of folders) {
		const { absolute } = locate(folder, here);
		if (isFolder(absolute)) roots.add(projectRoot(absolute));
	}
	const named = writes.flatMap((write) =>
		placesOfGlob(locateNamed(write.path, call).absolute)
			.flatMap((absolute) => placesOf(absolute, write, projectRoot(call.cwd)))
			.map((absolute) => ({ absolute, ...write, isFolder: isFolder(absolute) })),
	);
	// A copy into a folder takes few of its files.
	const gone = named.filter((place) => place.how === "delete" || !place.isFolder).map(({ absolute }) => absolute);
	const keepings = [...roots].slice(0, MAX_ROOTS).map((root) => {
		const taken = takesIgnored ? [root] : gone;
		return keeper.keepTree(call, root, "command", { isMoment: true, isGitAtRisk: isGitAtRisk(root), taken });
	});
	// What changes a folder in place, as a formatter does, takes none of its files.
	const taken = named.filter(({ loses, how, isFolder }) => loses || how === "delete" || !isFolder);
	for (const absolute of new Set(taken.map(({ absolute }) => absolute))) {
		if (isIn(keepings, absolute) || keepings.length >= MAX_ROOTS * 2) continue;
		if (isFolder(absolute))
			keepings.push(keeper.keepTree(call, absolute, "command", { isMoment: true, isGitAtRisk: isGitAtRisk(absolute) }));
		else keepings.push(keeper.keepFiles(call, [absolute], "command", true));
	}
	return keepings;
}

/** A folder on the way may be a link that leads out of the project, and the file itself one that a shell writes through. */
function placesOf(absolute: string, { how }: Pick<SeenWrite, "how">, root: string): string[] {
	try {
		const real = join(realpathSync(dirname(absolute)), basename(absolute));
		const at = real.startsWith(`${root}/`) ? absolute : real;
		return how !== "delete" && linkStatOf(at)?.isSymbolicLink() ? [at, realpathSync(at)] : [at];
	} catch {
		return [absolute];
	}
}

/** Its folder was looked at as a whole. */
function isIn(keepings: readonly Keeping[], absolute: string): boolean {
	return keepings.some(({ root, isAll }) => isAll && `${absolute}/`.startsWith(`${root}/`));
}

function isKept(keepings: readonly Keeping[], absolute: string): boolean {
	return keepings.some(({ root, files }) => files.has(pathIn(root, absolute)));
}

/** A log grows with each command, so a large one is left to the looks at the whole folder. */
function isSmall(path: string, files: World["files"]): boolean {
	const look = files.stat(path);
	return look.kind === "file" && look.stat.size > 0 && look.stat.size <= MAX_LATE_BYTES;
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The line itself says that it removes or overwrites files. */
export function losesVisibly(line: string): boolean {
	const { writes, mayLose } = effectsOf(line);
	return mayLose || writes.some(({ loses }) => loses);
}

/** Nothing could be kept, as on a full disk. */
export function tellNothingKept(
	call: GuardCall,
	error: unknown,
	{ canWait }: { readonly canWait: boolean },
	world: World,
): Outcome {
	const isFull = error instanceof EngineError && error.code === "disk-full";
	const why = isFull ? "the disk that has weft's data is full" : oneLine(String(error));
	const reason = `Nothing could be kept before this command: ${why}. What it removes or overwrites does not come back.`;
	const found = { hash: sha256(commandText(call.input) ?? "") };
	const wait = `${reason} Nothing was run; the same command again passes.`;
	return canWait
		? object(call, { rule: "keep-first", reason: wait, found, blocks: 1 }, world)
		: warn(call, { rule: "keep-first", reason }, world.settings.policyMode, world.now);
}

/** Files that the line visibly takes stop it, once. Others that could not be kept are only named. */
function tellLeft(
	call: GuardCall,
	line: string,
	left: readonly (LeftFile & { readonly root: string })[],
	world: World,
): Outcome {
	const { writes, mayLose } = effectsOf(line);
	const losing = writes.filter(({ loses }) => loses).map((write) => ({ ...write, ...locateNamed(write.path, call) }));
	const absolute = (file: (typeof left)[number]) => locate(file.path, file.root).absolute;
	const taken = left.filter((file) => losing.some((write) => reaches(write, absolute(file))));
	const some = taken.length > 0 ? taken : left;
	const list = some.slice(0, MAX_NAMED).map(({ path, size, why }) => {
		// The size of a folder is not known.
		return path.endsWith("/") ? `${path} (${why})` : `${path} (${formatBytes(size)}: ${why})`;
	});
	const more = some.length - list.length;
	const names = [...list, ...(more > 0 ? [`${more} more`] : [])].join(", ");
	// Few commands that do not name them take ignored files.
	const isAtRisk = mayLose && left.some(({ path }) => !path.endsWith("/"));
	if (taken.length > 0 || isAtRisk) {
		const reason = `This command may remove files that could not be kept: ${names}. Nothing was run. Move them away first; the same command again passes.`;
		// Each command waits once: to repeat one says nothing of the next.
		return object(call, { rule: "keep-first", reason, found: { hash: sha256(line) }, blocks: 1 }, world);
	}
	const reason = `Not kept before this command: ${names}.`;
	return world.state.verdicts.recent.some(({ session, rule }) => session === call.session && rule === "keep-first")
		? { action: "pass", notes: [], events: [] }
		: warn(call, { rule: "keep-first", reason }, world.settings.policyMode, world.now);
}
