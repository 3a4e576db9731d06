/**
 * After a command: which of the files that were kept before it are gone or overwritten, with text that the model had not
 * seen? Each gets a note with the way back. Files that the line only moves or changes in place are no loss.
 */
import { join } from "node:path";
import { linkStatOf } from "../base/file/regular-file.ts";
import type { FileRisk } from "../base/shell/file-risk.ts";
import { quoteWord } from "../base/shell/quote-word.ts";
import type { Aftermath } from "./aftermath.ts";
import { locate } from "./call.ts";
import { findRecord } from "./file-record.ts";
import type { World } from "./judge.ts";
import { changedAt, type Keeping } from "./keeper.ts";
import type { KeptVersion } from "./kept-files.ts";
import type { UnseenFile } from "./known-look.ts";
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
		const reason = renderTaken(files, world.keeper?.momentOf(root));
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
function takenKnown(call: GuardCall, { risk, keepings, unseen }: KeptBefore, { files }: World): TakenFile[] {
	if (risk === "none") return [];
	return unseen.flatMap(({ target, hash }): TakenFile[] => {
		const found = findVersion(keepings, target.absolute);
		if (!found || hash === undefined) return [];
		const now = files.digest(target.absolute);
		if (now.kind === "digest" && now.hash === hash) return [];
		const how = now.kind === "absent" ? "removed" : "overwritten";
		return [{ path: locate(target.path, call.cwd).path, how, ...found }];
	});
}

function findVersion(keepings: readonly Keeping[], absolute: string) {
	for (const { root, files } of keepings) {
		const version = files.get(absolute.startsWith(`${root}/`) ? absolute.slice(root.length + 1) : absolute);
		if (version) return { root, version };
	}
	return undefined;
}

/** Files that the model never saw, and that git does not hold. */
function takenUnknown(
	call: GuardCall,
	{ risk, keepings }: KeptBefore,
	writer: Writer | undefined,
	{ state }: World,
): TakenFile[] {
	if (risk === "none") return [];
	return keepings.flatMap(({ root, files }) => {
		const gone: TakenFile[] = [];
		const changed: TakenFile[] = [];
		for (const [path, version] of files) {
			const absolute = path.startsWith("/") ? path : join(root, path);
			const stat = linkStatOf(absolute);
			if (stat && Number(stat.size) === version.size && changedAt(stat) === version.at) continue;
			const named = locate(absolute, call.cwd).path;
			const written = writer?.howWritten({ absolute, real: null });
			if (findRecord(state.files, call, named) || (written && !written.loses)) continue;
			// A folder in its place has taken it too.
			if (!stat || (stat.isDirectory() && version.link !== true))
				gone.push({ path: named, how: "removed", version, root });
			else if (written) gone.push({ path: named, how: "overwritten", version, root });
			else if (version.tracked) changed.push({ path, how: "put back to the last commit", version, root });
		}
		const now = changed.length === 0 ? undefined : listUnheldFiles(root);
		const differing = new Set(now?.files.map(({ path }) => path));
		const reverted = now?.head === undefined ? [] : changed.filter(({ path }) => !differing.has(path));
		return [...gone, ...reverted.map((file) => ({ ...file, path: locate(join(root, file.path), call.cwd).path }))];
	});
}

function renderTaken(files: readonly TakenFile[], moment: number | undefined): string {
	const named = files.slice(0, MAX_NAMED).map(({ path, how, version }) => {
		const handle = version.hash === undefined ? "" : `: lcm_expand("b-${version.hash.slice(0, 12)}")`;
		return `${path} (${how}${handle})`;
	});
	const more = files.length - named.length;
	const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
	const what = files.length === 1 ? "a text that you had not seen" : "texts that you had not seen";
	const path = files.length === 1 ? ` ${quoteWord(files[0]?.path ?? "")}` : "";
	const them = files.length === 1 ? "it" : "them";
	const back = moment === undefined ? "" : ` To bring ${them} back: weft rewind${path} --to ${moment} --yes`;
	return `While this command ran, ${what} left the disk: ${list}. All of it was kept first.${back}`;
}
