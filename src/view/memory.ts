/** The memory files, for people. Reads files and log; writes nothing. */
import { realpathSync } from "node:fs";
import { asNumber } from "../base/json/read.ts";
import { plural } from "../base/text/bytes.ts";
import { oneLine } from "../base/text/printable.ts";
import { wrapWords } from "../base/text/wrap.ts";
import type { Engine } from "../engine.ts";
import {
	HISTORY,
	keyOf,
	MEMORY,
	type MemoryFile,
	MemoryFiles,
	newestPath,
	type SessionName,
	sessionFile,
} from "../state/memory/memory-files.ts";
import { itemsIn, TEXT_ID } from "../state/memory/memory-items.ts";
import { listSessions } from "../state/session/find-session.ts";
import type { TextStyle } from "./text-style.ts";

/** The JSON of `weft memory`. */
export interface MemoryView {
	readonly folder: string;
	readonly files: readonly MemoryFileView[];
	/** Jobs of models for the memory. */
	readonly jobs: { readonly count: number; readonly refused: number; readonly calls: number };
}

export interface MemoryFileView {
	/** `session`, `memory` or `history`. */
	readonly file: string;
	readonly path: string;
	readonly revision: number;
	readonly bullets: readonly BulletView[];
	/** The problem with the file, if any; the bullets then come from the log. */
	readonly complaint?: string | undefined;
}

export interface BulletView {
	readonly id: string;
	readonly section: string;
	readonly text: string;
	/** Who wrote it; null: not seen by weft yet. */
	readonly by: string | null;
	/** On probation until then, ms since the epoch. */
	readonly until?: number | undefined;
}

export function viewMemory(engine: Engine, session?: SessionName): MemoryView {
	const files = new MemoryFiles({ log: engine.log });
	const newest = session ?? newestSession(engine, files.folder);
	const shown = [...(newest ? [sessionFile(newest)] : []), MEMORY, HISTORY];
	const jobs = [...engine.log.read({ types: ["Job"] })];
	return {
		folder: files.folder,
		files: shown
			.map((file) => viewFile(files, file))
			.filter(({ revision, bullets }) => revision > 0 || bullets.length > 0),
		jobs: {
			count: jobs.length,
			refused: jobs.filter(({ payload }) => payload["outcome"] !== "done").length,
			calls: jobs.reduce((sum, { payload }) => sum + (asNumber(payload["calls"]) ?? 0), 0),
		},
	};
}

function viewFile(files: MemoryFiles, file: MemoryFile): MemoryFileView {
	const path = files.pathOf(file);
	const known = new Map(files.store.bullets(keyOf(file)).map((each) => [each.id, each]));
	const revision = files.store.revision(keyOf(file));
	const complaint = files.complaint(file);
	if (complaint !== undefined) {
		const bullets = [...known.values()].map(
			({ id, section, text, by, until }): BulletView => ({ id, section, text, by, until: until ?? undefined }),
		);
		return { file: file.kind, path, revision, bullets, complaint };
	}
	const source = file.kind === "session" ? "session" : file.kind === "memory" ? "memory" : "history";
	const bullets = itemsIn(path, source).map(({ id, text, heading }): BulletView => {
		const bullet = known.get(id);
		const isSame = bullet?.text === text;
		return { id, section: heading, text, by: isSame ? bullet.by : null, until: (isSame && bullet.until) || undefined };
	});
	return { file: file.kind, path, revision, bullets };
}

/** The session of `SESSION.md`. */
function newestSession(engine: Engine, folder: string): SessionName | undefined {
	let path: string;
	try {
		path = realpathSync(newestPath(folder));
	} catch {
		return undefined;
	}
	const files = new MemoryFiles({ log: engine.log });
	return listSessions(engine.log).find((each) => {
		try {
			return realpathSync(files.pathOf(sessionFile(each))) === path;
		} catch {
			return false;
		}
	});
}

export function renderMemory({ folder, files, jobs }: MemoryView, style: TextStyle): string[] {
	if (files.length === 0) return ["This project has no memory yet. weft writes it when an agent runs here."];
	const lines = files.flatMap(({ file, revision, bullets, complaint }) => [
		style.paint("bold", `${file.toUpperCase()}.md`) + style.paint("dim", ` revision ${revision}`),
		...(complaint === undefined ? [] : wrapWords(`  ${complaint}`, style.columns, "")),
		...[...Map.groupBy(bullets, ({ section }) => section)].flatMap(([section, list]) => [
			`  ${oneLine(section) || "(no section)"}`,
			...list.flatMap((bullet) => renderBullet(bullet, style)),
		]),
		...(bullets.length === 0 ? ["  nothing yet"] : []),
		"",
	]);
	const asked =
		jobs.count === 0
			? []
			: [`Models did ${plural(jobs.count, "job")} in ${plural(jobs.calls, "call")}, ${jobs.refused} without a result.`];
	return [...lines, ...asked, `Files: ${folder}`];
}

const TEXT_INDENT = 15;

function renderBullet({ id, text, by, until }: BulletView, style: TextStyle): string[] {
	const marks = [
		by === null ? (id.startsWith(TEXT_ID) ? "your text" : "not seen by weft yet") : by === "user" ? "yours" : "",
		until === undefined ? "" : "on probation",
	].filter((mark) => mark !== "");
	const words = `${oneLine(text)}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}`;
	const width = style.columns === undefined ? undefined : Math.max(20, style.columns - TEXT_INDENT);
	const [first = "", ...rest] = wrapWords(words, width, "");
	return [`    ${style.paint("dim", id)} ${first}`, ...rest.map((line) => `${" ".repeat(TEXT_INDENT)}${line}`)];
}

/** Bullets of all files that hold every word. */
export function searchMemory(
	engine: Engine,
	words: readonly string[],
): { readonly bullets: readonly (BulletView & { readonly file: string })[] } {
	const wanted = words.map((word) => word.toLowerCase());
	const bullets = allFiles(engine).flatMap((file) =>
		viewFile(new MemoryFiles({ log: engine.log }), file).bullets.map((bullet) => ({ ...bullet, file: file.kind })),
	);
	return {
		bullets: bullets.filter(({ text, section }) =>
			wanted.every((word) => `${section} ${text}`.toLowerCase().includes(word)),
		),
	};
}

export function renderFound({ bullets }: ReturnType<typeof searchMemory>, style: TextStyle): string[] {
	return bullets.flatMap((bullet) => [
		style.paint("dim", `${bullet.file.toUpperCase()}.md, ${oneLine(bullet.section)}`),
		...renderBullet(bullet, style),
	]);
}

export function allFiles({ log }: Engine): MemoryFile[] {
	const sessions = listSessions(log).map(({ session, host }) => sessionFile({ session, host }));
	const known = new Set(new MemoryFiles({ log }).store.files().map(({ file }) => file));
	return [...sessions.filter((file) => known.has(keyOf(file))), MEMORY, HISTORY];
}
