/** A rewind as a person or a model asks for it: which files, which moment. */
import { resolve } from "node:path";
import { hunksBetween, writeDiff } from "../../base/diff/unified.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { readBounded } from "../../base/file/regular-file.ts";
import { quoteWord } from "../../base/shell/quote-word.ts";
import { isBinary } from "../../base/text/lines.ts";
import { parseTime } from "../../base/text/time.ts";
import type { Log } from "../../log/log.ts";
import { rootOf } from "./file-at.ts";
import { keptRoots, listMoments, momentBefore, type RewindMoment } from "./moments.ts";
import { Rewind, rewindPath } from "./rewind.ts";

export interface RewindRequest {
	/** As given, from `cwd`; none: the whole project. */
	readonly files?: readonly string[] | undefined;
	readonly to?: string | undefined;
	readonly before?: string | undefined;
	readonly cwd: string;
	/** The project's root. */
	readonly root: string;
	readonly now: number;
	/** The files go to another place, so they may come from outside the project. */
	readonly isElsewhere?: boolean | undefined;
}

interface RewindPlace {
	readonly root: string;
	/** None: the whole folder. */
	readonly paths: readonly string[];
}

function placeOf(log: Log, { files = [], cwd, root, isElsewhere }: RewindRequest): RewindPlace {
	const roots = keptRoots(log);
	const keptRootOf = (absolute: string) => rootOf(roots, `${absolute}/x`) ?? root;
	for (const file of files) {
		const absolute = resolve(cwd, file);
		if (absolute === root || absolute.startsWith(`${root}/`) || isElsewhere) continue;
		throw new EngineError(
			"refused",
			`${file} is outside the project ${root}. --into brings its bytes to another folder.`,
		);
	}
	// A single file outside is kept with the project whose agent changed it.
	const [kept = root, ...others] = new Set(
		(files.length === 0 ? ["."] : files).map((file) => keptRootOf(resolve(cwd, file))),
	);
	if (others.length > 0) {
		const places = [kept, ...others].join(" and ");
		throw new EngineError("usage", `These files are of different projects: ${places}. Rewind those of one at a time.`);
	}
	const paths = files.map((file) =>
		rewindPath(kept, resolve(cwd, file) + (file.endsWith("/") ? "/" : ""), { cwd, isElsewhere }),
	);
	return { root: kept, paths: paths.includes("/") ? [] : paths };
}

export function momentsOf(log: Log, request: RewindRequest, limit: number): RewindMoment[] {
	const { root, paths } = placeOf(log, request);
	return listMoments(log, root, { limit, paths: paths.some((path) => path.endsWith("/")) ? [] : paths });
}

export function openRewind(log: Log, request: RewindRequest): Rewind {
	const { root, paths } = placeOf(log, request);
	return new Rewind(log, { root, paths, seq: seqOf(log, root, request) });
}

function seqOf(log: Log, root: string, { to, before, now }: RewindRequest): number {
	if (before !== undefined) {
		const seq = momentBefore(log, root, before);
		if (seq === undefined)
			throw new EngineError("not-found", `No command with '${before}'. 'weft rewind' lists the moments.`);
		return seq;
	}
	const given = (to ?? "").trim();
	if (/^#?\d+$/.test(given)) {
		const seq = Number(given.replace("#", ""));
		if (seq < 1 || seq > log.newestSeq()) throw new EngineError("not-found", `There is no event #${seq}.`);
		return seq;
	}
	const event = /^[em]-/.test(given) ? log.get(given) : undefined;
	if (event) return event.seq;
	return seqAt(log, parseTime(given, now));
}

/** The newest event at a time. */
function seqAt(log: Log, ms: number): number {
	for (const { seq, ts } of log.read({ types: ["FilesKept", "UserIntent", "FileChanged"], order: "newest" })) {
		if (ts <= ms) return seq;
	}
	throw new EngineError("not-found", "The log has nothing of that time. 'weft rewind' lists the moments.");
}

const MAX_DIFF_BYTES = 4 * 1024 * 1024;
const MAX_DIFFS = 100;

/** What a rewind would change in each text, as unified diffs. */
export function* diffsOf(rewind: Rewind): Generator<string> {
	const { root, steps } = rewind.plan;
	for (const { path, how } of steps.slice(0, MAX_DIFFS)) {
		if (how === "leave") continue;
		const now = readBounded(`${root}/${path}`, MAX_DIFF_BYTES);
		const before = now.kind === "bytes" ? now.bytes : Buffer.alloc(0);
		const after = how === "write" ? rewind.textThen(path) : Buffer.alloc(0);
		if (!after || isBinary(before) || isBinary(after)) continue;
		const hunks = hunksBetween(before.toString("utf8"), after.toString("utf8"));
		const { diff } = hunks ? writeDiff(path, hunks) : { diff: undefined };
		if (diff !== undefined) yield diff.trimEnd();
	}
}

/** The command that brings files back. Those of another project can only come into another folder. */
export function renderWayBack(
	files: readonly string[],
	seq: number,
	{ cwd, root }: Pick<RewindRequest, "cwd" | "root">,
): string {
	const isOutside = files.some((file) => !`${resolve(cwd, file)}/`.startsWith(`${root}/`));
	return `${renderCommand({ files, to: String(seq) })}${isOutside ? ' --into "$(mktemp -d)"' : ""}`;
}

/** The command line of a request. */
export function renderCommand({ files = [], to, before }: Pick<RewindRequest, "files" | "to" | "before">): string {
	const words = ["weft", "rewind", ...files.map((file) => quoteWord(file.startsWith("-") ? `./${file}` : file))];
	if (before !== undefined) words.push("--before", quoteWord(before));
	else if (to !== undefined) words.push("--to", quoteWord(to));
	return words.join(" ");
}
