/** The memory files, for people. Reads files and log; writes nothing. */
import { realpathSync } from "node:fs";
import { asList, asNumber, asObject, asText } from "../base/json/read.ts";
import { plural } from "../base/text/bytes.ts";
import { cutWithEllipsis } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { wrapWords } from "../base/text/wrap.ts";
import { estimateTokens } from "../base/tokens/estimate.ts";
import { readPriceList } from "../base/tokens/price-file.ts";
import { RECALL_NAME } from "../context/session-patches.ts";
import type { Engine } from "../engine.ts";
import { isA } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { USER_TAG } from "../message/recall-tags.ts";
import type { Settings } from "../settings/keys.ts";
import { dollarsToday, jobDollars } from "../state/memory/job-cost.ts";
import {
	HISTORY,
	historyFile,
	keyOf,
	MEMORY,
	type MemoryFile,
	MemoryFiles,
	memoryFile,
	newestPath,
	type SessionName,
	sessionFile,
} from "../state/memory/memory-files.ts";
import { itemsIn, TEXT_ID } from "../state/memory/memory-items.ts";
import { owedToModel, owedToState } from "../state/memory/owed-fold.ts";
import { isModel } from "../state/memory/writer-rank.ts";
import { listSessions } from "../state/session/find-session.ts";
import { shortSession } from "./short-session.ts";
import type { TextStyle } from "./text-style.ts";

/** The JSON of `weft memory`. */
interface MemoryView {
	readonly folder: string;
	readonly files: readonly MemoryFileView[];
	/** Jobs of models for the memory. */
	readonly jobs: { readonly count: number; readonly refused: number; readonly calls: number; readonly dollars: number };
	/** Sessions that are still to be consolidated, the newest first. */
	readonly owed: readonly OwedView[];
	readonly models: ModelsView;
}

/** Who may write besides the state. */
interface ModelsView {
	/** The setting `memoryModels`. */
	readonly choice: Settings["memoryModels"];
	/** The setting `memoryBudget`. */
	readonly centsPerDay: number;
	/** What jobs have cost since midnight UTC. */
	readonly dollarsToday: number;
}

interface OwedView {
	readonly session: string;
	readonly host: string;
	/** Who has to write: the state, or a model when there is one. */
	readonly by: "state" | "model";
	readonly why: string;
	/** Time of the session's newest message. */
	readonly ts: number;
}

interface MemoryFileView {
	/** `session`, `memory` or `history`. */
	readonly file: string;
	readonly path: string;
	readonly revision: number;
	readonly bullets: readonly BulletView[];
	/** The problem with the file, if any; the bullets then come from the log. */
	readonly complaint?: string | undefined;
}

interface BulletView {
	readonly id: string;
	readonly section: string;
	readonly text: string;
	/** Who wrote it; null: not seen by weft yet. */
	readonly by: string | null;
	/** On probation until then, ms since the epoch. */
	readonly until?: number | undefined;
}

export function viewMemory(engine: Engine, session?: SessionName, now = Date.now()): MemoryView {
	const files = new MemoryFiles({ log: engine.log });
	const newest = session ?? newestSession(engine, files.folder);
	// A conversation with an owner has files of its own.
	const of = newest && engine.scope(newest).owner !== undefined ? newest : undefined;
	const shown = [memoryFile(of), ...(newest ? [sessionFile(newest)] : []), historyFile(of)];
	const jobs = [...engine.log.read({ types: ["Job"] })];
	const listed = readPriceList(engine.settings.prices);
	return {
		folder: files.folder,
		files: shown
			.map((file) => viewFile(files, file))
			.filter(({ revision, bullets }) => revision > 0 || bullets.length > 0),
		jobs: {
			count: jobs.length,
			refused: jobs.filter(({ payload }) => payload["outcome"] !== "done").length,
			calls: jobs.reduce((sum, { payload }) => sum + (asNumber(payload["calls"]) ?? 0), 0),
			dollars: jobs.reduce((sum, { payload }) => sum + jobDollars(payload, listed), 0),
		},
		owed: owedIn(engine),
		models: {
			choice: engine.settings.memoryModels,
			centsPerDay: engine.settings.memoryBudget,
			dollarsToday: dollarsToday(engine.log, now, listed),
		},
	};
}

function owedIn(engine: Engine): OwedView[] {
	const { owed } = engine.state().state;
	const byState = owedToState(owed);
	const byModel = owedToModel(owed).filter((each) => !byState.includes(each));
	return [
		...byState.map(({ session, host, why, ts }) => ({ session, host, by: "state" as const, why, ts })),
		...byModel.map(({ session, host, why, ts }) => ({ session, host, by: "model" as const, why, ts })),
	];
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

export function renderMemory({ folder, files, jobs, owed, models }: MemoryView, style: TextStyle): string[] {
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
			: [
					`Models did ${plural(jobs.count, "job")} in ${plural(jobs.calls, "call")}, ${jobs.refused} without a result${jobs.dollars > 0 ? `, for $${jobs.dollars.toFixed(4)}` : ""}.`,
				];
	return [...lines, ...asked, renderModels(models), ...renderOwed(owed), `Files: ${folder}`];
}

function renderModels({ choice, centsPerDay, dollarsToday: spent }: ModelsView): string {
	switch (choice) {
		case "auto":
			return "No model writes here until you allow it. Pi asks once; elsewhere: weft config set memoryModels session";
		case "none":
			return "No model writes here (memoryModels none).";
		default:
			return `Models may write here (memoryModels ${choice}): $${spent.toFixed(4)} of $${(centsPerDay / 100).toFixed(2)} today.`;
	}
}

const MAX_OWED = 5;

/** A model's part is only owed where there is one, so it is not a debt to tell of. */
function renderOwed(owed: readonly OwedView[]): string[] {
	const due = owed.filter(({ by }) => by === "state");
	const more = due.length > MAX_OWED ? ` and ${due.length - MAX_OWED} more` : "";
	const names = due.slice(0, MAX_OWED).map(({ session }) => shortSession(session));
	return due.length === 0
		? []
		: [`To be written when an agent next runs here: what lasts of ${names.join(", ")}${more}.`];
}

const TEXT_INDENT = 15;

/** Empty: weft wrote it from its record. */
function renderWriter(id: string, by: string | null): string {
	if (by === null) return id.startsWith(TEXT_ID) ? "your text" : "not seen by weft yet";
	if (by === "user") return "yours";
	return isModel(by) ? `by ${oneLine(by)}` : "";
}

function renderBullet({ id, text, by, until }: BulletView, style: TextStyle): string[] {
	const marks = [renderWriter(id, by), until === undefined ? "" : "on probation"].filter((mark) => mark !== "");
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

export interface MemoryFact extends BulletView {
	/** Handle of the event that wrote it; null: weft has not seen it yet. */
	readonly written: string | null;
	/** Handle of its source. */
	readonly source: string | null;
	readonly ts: number | null;
}

interface MemoryWriteRow {
	readonly handle: string;
	readonly ts: number;
	readonly file: string;
	readonly revision: number;
	readonly why: string;
	readonly ops: readonly {
		readonly op: string;
		readonly id: string;
		readonly section: string;
		readonly text: string;
	}[];
}

interface MemoryRecall {
	readonly handle: string;
	readonly ts: number;
	/** The message that it was added before. */
	readonly before: string | null;
	readonly text: string;
	readonly tokens: number;
}

export interface MemoryPage extends Omit<MemoryView, "files"> {
	readonly files: readonly {
		readonly file: string;
		readonly path: string;
		readonly revision: number;
		readonly tokens: number;
		readonly bullets: readonly MemoryFact[];
	}[];
	/** The newest first. */
	readonly writes: readonly MemoryWriteRow[];
	/** Recalls of the session, the newest first. */
	readonly recalls: readonly MemoryRecall[];
}

const MAX_WRITES = 30;
const MAX_RECALLS = 30;
const MAX_TEXT_CHARS = 4_000;

/** A project's memory for the inspector: its files with the source of each fact, the last writes, and the last recalls. */
export function viewMemoryPage(engine: Engine, session: SessionRef): MemoryPage {
	const view = viewMemory(engine, session);
	const origins = originsOf(engine);
	return {
		...view,
		files: view.files.map(({ bullets, ...file }) => ({
			...file,
			tokens: bullets.reduce((sum, { text }) => sum + estimateTokens(text), 0),
			bullets: bullets.map((bullet) => ({ ...bullet, ...(origins.get(bullet.id) ?? UNKNOWN) })),
		})),
		writes: writesOf(engine),
		recalls: recallsOf(engine, session),
	};
}

const UNKNOWN = { written: null, source: null, ts: null } as const;

/** By a fact's id: the newest write that brought it. */
function originsOf({ log }: Engine): Map<string, Pick<MemoryFact, "written" | "source" | "ts">> {
	const origins = new Map<string, Pick<MemoryFact, "written" | "source" | "ts">>();
	for (const record of log.read({ types: ["MemoryWrite"] })) {
		if (!isA(record, "MemoryWrite")) continue;
		for (const { op, id, source } of record.payload.ops) {
			if (op === "add" || op === "supersede")
				origins.set(id, { written: handleOf(record), source: source ?? null, ts: record.ts });
		}
	}
	return origins;
}

function writesOf({ log }: Engine): MemoryWriteRow[] {
	return [...log.read({ types: ["MemoryWrite"], order: "newest", limit: MAX_WRITES })].flatMap((record) => {
		if (!isA(record, "MemoryWrite")) return [];
		const { file, revision, why, ops } = record.payload;
		return [
			{
				handle: handleOf(record),
				ts: record.ts,
				file,
				revision,
				why,
				ops: ops.map(({ op, id, section, text }) => ({ op, id, section: section ?? "", text: text ?? "" })),
			},
		];
	});
}

function recallsOf({ log }: Engine, { session, host }: SessionRef): MemoryRecall[] {
	const recalls: MemoryRecall[] = [];
	for (const record of log.read({ session, host, types: ["Transform"], order: "newest" })) {
		if (asText(record.payload["transformerName"]) !== RECALL_NAME) continue;
		const text = blockIn(record.payload);
		const before = record.cause === null ? null : (log.handleAt(record.cause) ?? null);
		recalls.push({
			handle: handleOf(record),
			ts: record.ts,
			before,
			text: cutWithEllipsis(text, MAX_TEXT_CHARS),
			tokens: estimateTokens(text),
		});
		if (recalls.length === MAX_RECALLS) break;
	}
	return recalls;
}

/** The recalled block comes before the user's words, in the message that replaces theirs. */
function blockIn(payload: Readonly<Record<string, unknown>>): string {
	const content = asObject(asObject(asList(payload["patch"])[0])?.["message"])?.["content"];
	const parts =
		typeof content === "string" ? [content] : asList(content).map((part) => asText(asObject(part)?.["text"]) ?? "");
	return parts.join("\n").split(`\n\n<${USER_TAG}>\n`)[0] ?? "";
}
