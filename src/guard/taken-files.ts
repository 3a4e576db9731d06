/**
 * After a command: which of the files that were kept before it are gone or overwritten, with text that the model had not
 * seen? The disk tells, not the line. Each gets a note with the way back. No loss: a file that is elsewhere now, one that only
 * grew, one that has most of its words still, and what a command of this session wrote itself.
 */
import { dirname, join, resolve } from "node:path";
import { linkStatOf, readBounded } from "../base/file/regular-file.ts";
import type { FileRisk } from "../base/shell/file-risk.ts";
import { projectRoot } from "../log/home.ts";
import type { Aftermath } from "./aftermath.ts";
import { locate } from "./call.ts";
import { findRecord } from "./file-record.ts";
import type { World } from "./judge.ts";
import { changedAt, type Keeping, pathIn } from "./keeper.ts";
import type { KeptVersion } from "./kept-files.ts";
import type { UnseenFile } from "./known-look.ts";
import { renderWayBack } from "./rewind/request.ts";
import type { GuardCall, GuardEvent } from "./types.ts";
import { listUnheldFiles } from "./unheld-files.ts";
import { warn } from "./verdict.ts";
import type { Writer } from "./writer.ts";

/** What was kept before a call, and why. */
export interface KeptBefore {
	readonly risk: FileRisk;
	readonly keepings: readonly Keeping[];
	/** Known files with text that the model had not seen. */
	readonly unseen: readonly UnseenFile[];
	/** True: a file that last changed at this time, in ms, did so while another command of the session ran. */
	readonly isOwnOutput?: ((changedAt: number) => boolean) | undefined;
}

export const NOTHING_KEPT: KeptBefore = { risk: "none", keepings: [], unseen: [] };

interface TakenFile {
	/** As the session names it. */
	readonly path: string;
	readonly how: "removed" | "overwritten" | "put back to the last commit";
	readonly version: KeptVersion;
	readonly root: string;
}

const MAX_NAMED = 8;
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;

export function noteTakenFiles(
	call: GuardCall,
	before: KeptBefore,
	writer: Writer | undefined,
	world: World,
): Pick<Aftermath, "notes" | "events"> {
	const taken = [...takenKnown(call, before, world), ...takenUnknown(call, before, writer, world)];
	const notes: string[] = [];
	const events: GuardEvent[] = [];
	for (const root of new Set(taken.map((file) => file.root))) {
		const files = taken.filter((file) => file.root === root);
		const place = { cwd: call.cwd, root: projectRoot(call.cwd) };
		const reason = renderTaken(files, world.keeper?.momentOf(root), place);
		const [first] = files;
		const target = files.length === 1 && first ? locate(first.path, call.cwd) : undefined;
		const outcome = warn(
			call,
			{ rule: "keep-first", reason, ...(target && { target }) },
			world.settings.policyMode,
			world.now,
		);
		if (outcome.action === "pass") notes.push(...outcome.notes);
		events.push(...outcome.events);
	}
	return { notes, events };
}

/** Known files that held unseen text. A command that cannot write files did not take it: somebody saved again. */
function takenKnown(call: GuardCall, { risk, keepings, unseen }: KeptBefore, world: World): TakenFile[] {
	const { files, keeper } = world;
	if (risk === "none") return [];
	return unseen.flatMap(({ target, hash }): TakenFile[] => {
		const found = hash === undefined ? undefined : findVersion(keepings, target.absolute, hash);
		if (!found) return [];
		const now = files.digest(target.absolute);
		if (now.kind === "digest" && now.hash === hash) return [];
		const how = now.kind === "absent" ? "removed" : "overwritten";
		const { root, version } = found;
		if (how === "overwritten" && hasGrown(version, target.absolute, keeper)) return [];
		return [{ path: locate(locate(version.path, root).absolute, call.cwd).path, how, root, version }];
	});
}

/** A link was kept as a link: the text is where it led to. */
function findVersion(keepings: readonly Keeping[], absolute: string, hash: string) {
	for (const { root, files } of keepings) {
		const version = files.get(pathIn(root, absolute));
		if (version && !version.link) return { root, version };
	}
	for (const { root, files } of keepings) {
		const version = [...files.values()].find((each) => each.hash === hash);
		if (version) return { root, version };
	}
	return undefined;
}

/** Files that the model never saw, and that git does not hold. */
function takenUnknown(call: GuardCall, before: KeptBefore, writer: Writer | undefined, world: World): TakenFile[] {
	const { state, keeper } = world;
	const { risk, keepings } = before;
	if (risk === "none") return [];
	const isOwnOutput = ({ at }: KeptVersion) => before.isOwnOutput?.(at) === true;
	return keepings.flatMap(({ root, files }) => {
		const gone: TakenFile[] = [];
		const moved: TakenFile[] = [];
		const changed: TakenFile[] = [];
		for (const [path, version] of files) {
			const absolute = path.startsWith("/") ? path : join(root, path);
			const stat = linkStatOf(absolute);
			if (stat && Number(stat.size) === version.size && changedAt(stat) === version.at) continue;
			const named = locate(absolute, call.cwd).path;
			const written = writer?.howWritten({ absolute, real: null });
			// The model knows it by this name, or through a link.
			if (findRecord(state.files, call, named) ?? findRecord(state.files, call, named, absolute)) continue;
			// A command of the session made it, as a build makes its products. A user may have saved a tracked file meanwhile.
			if (isOwnOutput(version) && version.tracked !== true) continue;
			// A folder in its place has taken it too.
			if (!stat || (stat.isDirectory() && version.link !== true)) {
				const isMeantToMove = written !== undefined && !written.loses;
				(isMeantToMove ? moved : gone).push({ path: named, how: "removed", version, root });
			} else if (isSameText(version, absolute, world)) continue;
			else if (written?.loses) gone.push({ path: named, how: "overwritten", version, root });
			else changed.push({ path, how: "overwritten", version, root });
		}
		const now = changed.length + moved.length === 0 ? undefined : listUnheldFiles(root);
		const differing = new Set(now?.files.map(({ path }) => path));
		const isReverted = ({ path, version }: TakenFile) =>
			now?.head !== undefined && version.tracked === true && !differing.has(path);
		const overwritten = changed.filter(
			(file) => isReverted(file) || (!isOwnOutput(file.version) && isOverwritten(file, keeper)),
		);
		const places = new Places([...[...differing].map((path) => join(root, path)), ...(writer?.targets ?? [])], world);
		return [
			...gone,
			...moved.filter((file) => !places.have(file)),
			...overwritten.map((file): TakenFile => {
				const path = locate(resolve(root, file.path), call.cwd).path;
				return { ...file, path, how: isReverted(file) ? "put back to the last commit" : file.how };
			}),
		];
	});
}

/** The old text is in the new one, as in a log. */
function hasGrown(version: KeptVersion, absolute: string, keeper: World["keeper"]): boolean {
	const before = version.size > MAX_COMPARED_BYTES ? undefined : keeper?.bytesOf(version);
	const now = before && readBounded(absolute, MAX_COMPARED_BYTES);
	return before !== undefined && now?.kind === "bytes" && now.bytes.includes(before);
}

/** The old text is not in the new one. `path` is relative to the root. */
function isOverwritten({ path, version, root }: TakenFile, keeper: World["keeper"]): boolean {
	const before = keeper?.bytesOf(version);
	const absolute = path.startsWith("/") ? path : join(root, path);
	if (!before || version.link || before.length === 0 || before.length > MAX_COMPARED_BYTES) return false;
	const now = readBounded(absolute, MAX_COMPARED_BYTES);
	if (now.kind !== "bytes" || now.bytes.includes(before)) return false;
	return !isMostlyThere(before, now.bytes);
}

/** Packed and unpacked, or written again: the bytes are there. */
function isSameText({ hash, link, size }: KeptVersion, absolute: string, { files }: World): boolean {
	const stat = linkStatOf(absolute);
	if (hash === undefined || link || !stat?.isFile() || Number(stat.size) !== size) return false;
	const now = files.digest(absolute);
	return now.kind === "digest" && now.hash === hash;
}

/** A formatter, or a change in place, leaves at least half of the words. */
function isMostlyThere(before: Buffer, now: Buffer): boolean {
	const words = (bytes: Buffer) => new Set(bytes.toString("latin1").match(/[\w\x80-\xff]+/g));
	const [old, rest] = [words(before), words(now)];
	return [...old].filter((word) => rest.has(word)).length * 2 >= Math.max(1, old.size);
}

interface SizedPlaces {
	readonly files: string[];
	hasLink: boolean;
	/** Of the files that were read so far. */
	readonly hashes: Set<string>;
}

/** Files and folders that a moved file may be in now. Each file is looked at once, however many were moved. */
class Places {
	readonly #files: World["files"];
	readonly #places: ReadonlySet<string>;
	readonly #folders: string[] = [];
	#bySize: Map<number, SizedPlaces> | undefined;

	constructor(places: readonly string[], { files }: World) {
		this.#files = files;
		this.#places = new Set(places);
	}

	/** The same bytes have another name now: a move. */
	have({ path, version }: TakenFile): boolean {
		const bySize = this.#bySize ?? this.#sort();
		const parts = path.split("/");
		const below = this.#folders.flatMap((folder) => parts.map((_, at) => join(folder, ...parts.slice(at))));
		return this.#has(bySize.get(version.size), version) || below.some((place) => this.#isIt(place, version));
	}

	#sort(): Map<number, SizedPlaces> {
		const sorted = new Map<number, SizedPlaces>();
		for (const place of this.#places) {
			const stat = linkStatOf(place);
			if (stat?.isDirectory()) this.#folders.push(place);
			if (!stat || stat.isDirectory()) continue;
			const size = Number(stat.size);
			const same = sorted.get(size) ?? { files: [], hasLink: false, hashes: new Set() };
			if (stat.isSymbolicLink()) same.hasLink = true;
			else same.files.push(place);
			sorted.set(size, same);
		}
		this.#bySize = sorted;
		return sorted;
	}

	#has(same: SizedPlaces | undefined, { hash }: KeptVersion): boolean {
		if (!same) return false;
		if (hash === undefined || same.hasLink || same.hashes.has(hash)) return true;
		for (let place = same.files.pop(); place !== undefined; place = same.files.pop()) {
			const digest = this.#files.digest(place);
			if (digest.kind !== "digest") continue;
			same.hashes.add(digest.hash);
			if (digest.hash === hash) return true;
		}
		return false;
	}

	#isIt(place: string, { size, hash }: KeptVersion): boolean {
		const stat = linkStatOf(place);
		if (!stat || Number(stat.size) !== size) return false;
		if (hash === undefined || stat.isSymbolicLink()) return true;
		const digest = this.#files.digest(place);
		return digest.kind === "digest" && digest.hash === hash;
	}
}

function renderTaken(
	files: readonly TakenFile[],
	moment: number | undefined,
	place: { readonly cwd: string; readonly root: string },
): string {
	const named = files.slice(0, MAX_NAMED).map(({ path, how, version }) => {
		const handle = version.hash === undefined ? "" : `: lcm_expand("b-${version.hash.slice(0, 12)}")`;
		return `${path} (${how}${handle})`;
	});
	const more = files.length - named.length;
	const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
	const what = files.length === 1 ? "a text that you had not seen" : "texts that you had not seen";
	const paths = more <= 0 ? files.map(({ path }) => path) : [`${locate(folderAround(files), place.cwd).path}/`];
	const them = files.length === 1 ? "it" : "them";
	const back = moment === undefined ? "" : ` To bring ${them} back: ${renderWayBack(paths, moment, place)} --yes`;
	return `While this command ran, ${what} left the disk: ${list}. All of it was kept first.${back}`;
}

/** The innermost folder that all of them are in, absolute. */
function folderAround(files: readonly TakenFile[]): string {
	const folders = files.map(({ root, version }) => dirname(resolve(root, version.path)).split("/"));
	const [first = [], ...rest] = folders;
	const isShared = (_: string, at: number) =>
		rest.every((parts) => parts.slice(0, at + 1).join("/") === first.slice(0, at + 1).join("/"));
	return first.filter(isShared).join("/");
}
