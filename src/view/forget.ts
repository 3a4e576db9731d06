/** Removes data for good at a person's request: a session with its side chains, or a whole project. */
import { existsSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { EngineError } from "../base/error/engine-error.ts";
import { formatBytes, plural } from "../base/text/bytes.ts";
import { makePrivateFolder } from "../log/home.ts";
import type { Log } from "../log/log.ts";
import { archiveLines, writeArchive } from "../log/retention/archive.ts";
import { prune, vacuum } from "../log/retention/prune.ts";
import { HISTORY, keyOf, MEMORY, MemoryFiles, newestPath, sessionFile } from "../state/memory/memory-files.ts";
import type { MemoryOp } from "../state/memory/operation.ts";
import { listSessions, withSideChains } from "../state/session/find-session.ts";
import { diskUse } from "./disk-use.ts";

interface ForgetOptions {
	readonly now: number;
	/** A new file, or `none`; by default one in the data folder. */
	readonly archive?: string | undefined;
	/** Without it nothing is changed. */
	readonly apply: boolean;
}

/** The JSON of `weft forget`. */
interface Forgotten {
	/** Empty: the whole project. */
	readonly sessions: readonly string[];
	readonly events: number;
	/** Of a session: bytes of JSON; of a project: those on the disk. */
	readonly bytes: number;
	readonly archive: string | null;
	readonly applied: boolean;
}

export const NO_ARCHIVE = "none";

/** Also rebuilds the index and drops the snapshots, because they contain the session's words. */
export async function forgetSession(log: Log, session: string, options: ForgetOptions): Promise<Forgotten> {
	refuseReadOnly(log);
	const { now, apply } = options;
	const sessions = withSideChains(log, session);
	const wanted = options.archive === NO_ARCHIVE ? undefined : options.archive;
	const gzip = wanted?.endsWith(".gz") ?? false;
	if (apply) forgetSessionMemory(log, sessions, now);
	const { events, bytes, archive } = await prune(log, { now, sessions, minEvents: 0, archive: wanted, gzip, apply });
	if (apply) {
		rmSync(join(log.folder, "snapshots"), { recursive: true, force: true });
		log.rebuild();
		vacuum(log);
		if (archive !== undefined && options.archive === NO_ARCHIVE) rmSync(archive, { force: true });
	}
	return {
		sessions,
		events,
		bytes,
		archive: options.archive === NO_ARCHIVE ? null : (archive ?? null),
		applied: apply,
	};
}

/** `close`: closes the log before its folder is removed. */
export async function forgetProject(
	log: Log,
	{ close, ...options }: ForgetOptions & { readonly close: () => void },
): Promise<Forgotten> {
	refuseReadOnly(log);
	const { folder } = log;
	const found = { sessions: [], events: log.count(), bytes: diskUse(log).total };
	if (!options.apply) return { ...found, archive: null, applied: false };
	const archive = options.archive === NO_ARCHIVE ? null : archivePath(folder, options.archive);
	if (archive !== null)
		await writeArchive(archive, archiveLines(log, log.readStored()), { gzip: archive.endsWith(".gz") });
	close();
	rmSync(folder, { recursive: true });
	return { ...found, archive, applied: true };
}

export function* renderForgotten({ sessions, events, bytes, archive, applied }: Forgotten): Generator<string> {
	const [session, ...sides] = sessions;
	const chains = sides.length === 0 ? "" : ` with ${plural(sides.length, "side chain")}`;
	const what = session === undefined ? "Everything about this project" : `Session ${session}${chains}`;
	const size = `${plural(events, "event")}, ${formatBytes(bytes)}`;
	yield applied ? `${what} is forgotten: ${size}.` : `${what} would be forgotten: ${size}.`;
	if (applied && archive !== null) yield `'weft import ${archive}' brings it back.`;
	if (applied && archive === null) yield "No copy was kept.";
}

function archivePath(folder: string, given: string | undefined): string {
	if (given !== undefined) {
		const path = resolve(given);
		if (existsSync(path)) throw new EngineError("refused", `${path} already exists. Choose another file.`);
		return path;
	}
	const archives = join(dirname(dirname(folder)), "archive");
	makePrivateFolder(archives);
	for (let n = 1; ; n++) {
		const path = join(archives, `${basename(folder)}${n === 1 ? "" : `-${n}`}.jsonl.gz`);
		if (!existsSync(path)) return path;
	}
}

function refuseReadOnly(log: Log): void {
	if (log.readOnly) throw new EngineError("read-only", `Nothing was forgotten: ${log.path} can only be read now.`);
}

const WRITER = { session: "cli", host: "cli" };

/**
 * Forgets a session: removes its SESSION.md, and what was learnt from it in the other files. The user's own bullets
 * stay. Call this while the log still has the session's events: they tell which bullets came from it.
 */
function forgetSessionMemory(log: Log, sessions: readonly string[], now: number): void {
	const files = new MemoryFiles({ log });
	for (const file of [MEMORY, HISTORY]) {
		const known = files.store.bullets(keyOf(file));
		const learnt = known.filter((bullet) => {
			const isLearnt = bullet.by !== "user" || files.store.sourceOf(bullet) !== undefined;
			return isLearnt && sessions.includes(log.get(bullet.seq)?.session ?? "");
		});
		if (learnt.length === 0) continue;
		const ids = new Set(learnt.map(({ id }) => id));
		files.write({
			file,
			why: "command",
			session: WRITER,
			ts: now,
			build: (current) =>
				current
					.filter(({ id }) => ids.has(id))
					.map(({ id }): MemoryOp => ({ op: "invalidate", id, by: "user", reason: "its session was forgotten" })),
		});
	}
	// Backups have the same words.
	rmSync(join(files.folder, "backup"), { recursive: true, force: true });
	for (const of of listSessions(log).filter(({ session }) => sessions.includes(session))) {
		rmSync(dirname(files.pathOf(sessionFile(of))), { recursive: true, force: true });
	}
	if (files.store.files().length > 0) rmSync(newestPath(files.folder), { force: true });
}
