/** The history of one file: each read, change and verdict, in order. */

import { resolve } from "node:path";
import { describeDiff } from "../base/diff/diff-words.ts";
import { EngineError } from "../base/error/engine-error.ts";
import { closest } from "../base/text/closest-word.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatTime } from "../base/text/time.ts";
import { projectState } from "../context/project-state.ts";
import type { Engine } from "../engine.ts";
import type { EventRecord } from "../log/event/types.ts";
import { newestFirst, type Recent } from "../log/fold/keyed.ts";
import type { Log } from "../log/log.ts";
import { matchesQuery } from "../log/query-match.ts";
import { baseName } from "../state/work/project-path.ts";
import { eventFile } from "./event.ts";
import { type PrunedSources, recallEvents } from "./pruning.ts";
import { shortSession } from "./short-session.ts";
import { renderRuled, type TextStyle } from "./text-style.ts";

const FILE_EVENTS = ["FileRead", "FileChanged", "Verdict"];

export interface FileStory {
	readonly file: string;
	readonly events: readonly EventRecord[];
	/** Where pruned events were read from; missing where none was ever pruned. */
	readonly recalled?: PrunedSources | undefined;
}

/** `given`: the file as a person names it in the folder `cwd`. Includes pruned events. */
export async function readFileStory({ log, project }: Engine, given: string, cwd: string): Promise<FileStory> {
	const file = eventFile(given, cwd, project.root);
	const { files, prefixes } = projectState(log).current().state.files;
	const spellings = [{ file }, { file: given }, { file: resolve(project.root, file) }, ...spellingsOf(file, prefixes)];
	const past = await recallEvents(log, { types: FILE_EVENTS });
	const left = (past?.events ?? []).filter((record) => spellings.some((spelling) => matchesQuery(record, spelling)));
	const events = [...left, ...readSpellings(log, spellings)].sort((one, other) => one.seq - other.seq);
	if (events.length === 0) throw new EngineError("not-found", missing(given, Object.keys(files), past?.recalled));
	return { file, events, ...(past && { recalled: countRecalled(past.recalled, left) }) };
}

/** Counts only the events of this file. */
function countRecalled(recalled: PrunedSources, events: readonly EventRecord[]): PrunedSources {
	const derived = events.filter(({ id }) => id === "").length;
	return { ...recalled, derived, archived: events.length - derived };
}

export function renderFileStory({ events }: FileStory, style: TextStyle): string[] {
	const [session = "", ...others] = new Set(events.map((event) => event.session));
	const isOne = others.length === 0;
	const columns = [
		{ title: "seq", align: "right" },
		{ title: "time" },
		...(isOne ? [] : [{ title: "session" }]),
		{ title: "type" },
		{ title: "what", shrink: true },
	] as const;
	const rows = events.map((record) => [
		String(record.seq),
		formatTime(record.ts),
		...(isOne ? [] : [oneLine(shortSession(record.session))]),
		record.type,
		oneLine(detail(record)),
	]);
	const table = renderRuled(style, columns, rows);
	return isOne ? [...table, "", style.paint("dim", `All in session ${oneLine(session)}.`)] : table;
}

/** A file as events spell it: from the project's root, absolute, or from the folder of one session. */
interface Spelling {
	readonly file: string;
	readonly session?: string | undefined;
}

function readSpellings(log: Log, spellings: readonly Spelling[]): EventRecord[] {
	const found = new Map<number, EventRecord>();
	for (const spelling of spellings) {
		for (const record of log.read({ ...spelling, types: FILE_EVENTS })) found.set(record.seq, record);
	}
	return [...found.values()].sort((one, other) => one.seq - other.seq);
}

/** How sessions that ran in a folder of the project name a file of it. */
function spellingsOf(file: string, prefixes: Recent<string>): Spelling[] {
	return [...newestFirst(prefixes)]
		.filter(([, prefix]) => file.startsWith(prefix))
		.map(([session, prefix]) => ({ file: file.slice(prefix.length), session }));
}

function detail({ type, payload }: EventRecord): string {
	const text = (key: string): string => (typeof payload[key] === "string" ? (payload[key] as string) : "");
	switch (type) {
		case "FileRead":
			return `lines ${payload["from"]}-${payload["to"] ?? "?"}, ${text("sliceHash").slice(0, 8)}, by ${text("tool")}`;
		case "FileChanged": {
			const hash = text("hash") === "" ? "" : `, now ${text("hash").slice(0, 8)}`;
			const names = describeDiff(text("diff"));
			const what = names === "" ? "" : `, ${names}`;
			const actor = text("actor") === "other" ? "somebody else" : text("actor");
			const by = [actor, text("tool")].filter((word) => word !== "").join(" ");
			return `${text("kind")} +${payload["added"]}/-${payload["removed"] ?? "?"}${what}, by ${by}${hash}`;
		}
		default:
			return `${text("verdict")} (${text("rule")}): ${text("reason")}`;
	}
}

function missing(given: string, known: readonly string[], recalled: PrunedSources | undefined): string {
	const meant = known.find((path) => baseName(path) === baseName(given)) ?? closest(given, known);
	const hint = meant === undefined ? "" : ` Did you mean '${meant}'?`;
	const where = recalled ? "log or in what left it" : "log";
	const doubt = recalled?.problems.map((problem) => ` ${problem}`).join("") ?? "";
	return `No tool has read or changed '${given}' in this project's ${where}.${hint}${doubt}`;
}
