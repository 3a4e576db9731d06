/**
 * The store of releases before the database: `storage/session/<project>/<session>.json`, `storage/message/<session>/…` and
 * `storage/part/<message>/…`, one value per file. A newer release copies them into its database with the same ids, so a
 * session that is imported from both counts once.
 */
import { dirname, join } from "node:path";
import { namesIn, readWithin, textOf } from "../../base/file/regular-file.ts";
import { asName, asNumber, asObject, type JsonObject, parseObject } from "../../base/json/read.ts";
import type { SourceFile, StoreRecord, StoreSession } from "../recorded/session-reader.ts";
import { isDone, rowRecord, type SessionParents, sessionOf } from "./session.ts";

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Undefined: not the file of a session. */
export function storedAsJson(
	host: string,
	value: JsonObject,
	text: string,
	file: SourceFile,
): StoreSession | undefined {
	const [, storage] = /^(.*[/\\]storage)[/\\]session[/\\][^/\\]+[/\\]ses_[^/\\]+\.json$/.exec(file.path) ?? [];
	const id = asName(value["id"]);
	if (storage === undefined || id === undefined) return undefined;
	const parents = parentsOf(dirname(file.path), id, value);
	const cwd = asName(value["directory"]);
	const version = asName(value["version"]);
	const created = asNumber(asObject(value["time"])?.["created"]);
	return {
		...sessionOf({ host, id, parents, cwd, version, created, folder: dirname(storage) }),
		records: () => recordsIn(storage, id, text, value),
	};
}

function* recordsIn(storage: string, session: string, text: string, value: JsonObject): Generator<StoreRecord> {
	yield recordOf("session", session, text, value);
	const folder = join(storage, "message", session);
	const names = jsonNames(folder);
	for (const [at, name] of names.entries()) {
		const message = readText(folder, name);
		// Leaves a message that is incomplete or still growing for later.
		const data = message === undefined ? undefined : parseObject(message);
		if (message === undefined || !data || (at === names.length - 1 && !isDone(data))) continue;
		const id = name.replace(/\.json$/, "");
		const parts = join(storage, "part", id);
		for (const part of jsonNames(parts)) {
			const written = readText(parts, part);
			const said = written === undefined ? undefined : parseObject(written);
			if (written !== undefined && said) yield recordOf("part", part.replace(/\.json$/, ""), written, said);
		}
		yield recordOf("message", id, message, data);
	}
}

/** The same shape as a database row. */
function recordOf(table: string, id: string, text: string, data: JsonObject): StoreRecord {
	return rowRecord({ table, id }, text.trim(), data);
}

/** The parent of a session, that one's parent, and so on. */
function parentsOf(folder: string, id: string, value: JsonObject): SessionParents {
	const parents = new Map<string, string | undefined>();
	let next: string | undefined = id;
	let session: JsonObject | undefined = value;
	while (next !== undefined && !parents.has(next)) {
		const parent: string | undefined = asName(session?.["parentID"]);
		parents.set(next, parent);
		next = parent;
		const text = next === undefined ? undefined : readText(folder, `${next.replace(/[/\\]/g, "")}.json`);
		session = text === undefined ? undefined : parseObject(text);
	}
	return parents;
}

function readText(folder: string, name: string): string | undefined {
	return textOf(readWithin(folder, name, MAX_FILE_BYTES));
}

/** Ids rise with time. */
function jsonNames(folder: string): string[] {
	return namesIn(folder)
		.filter((name) => name.endsWith(".json"))
		.sort();
}
