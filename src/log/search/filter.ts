/** Filters as SQL over `search_doc d`, joined with `event e` only if they need it. */
import type { SQLInputValue } from "node:sqlite";
import type { Corpus, FoundDocument, SearchSource } from "./corpus.ts";
import type { SearchFilters, SessionFilter } from "./types.ts";

export interface Filter {
	/** False: every document passes, and no join is needed. */
	readonly narrows: boolean;
	/** `event e ON …`, if a condition needs it; joined after `search_doc d`. */
	readonly event: string | undefined;
	/** ` AND …`, or empty. */
	readonly where: string;
	readonly values: readonly SQLInputValue[];
}

/** Undefined: the log has never seen a name, so nothing can match. */
export function sqlFilter(source: SearchSource, filters: SearchFilters): Filter | undefined {
	let where = "";
	const values: SQLInputValue[] = [];
	const add = (condition: string, ...given: SQLInputValue[]) => {
		where += ` AND ${condition}`;
		values.push(...given);
	};
	if (filters.afterSeq !== undefined) add("d.seq > ?", filters.afterSeq);
	if (filters.beforeSeq !== undefined) add("d.seq < ?", filters.beforeSeq);
	for (const [column, name] of [
		["d.role", filters.role],
		["d.tool", filters.tool],
		["e.session", filters.session],
	] as const) {
		if (name === undefined) continue;
		const id = source.wordId(name);
		if (id === undefined) return undefined;
		add(`${column} = ?`, id);
	}
	const within = withinSql(source, filters.within ?? "all");
	if (within) add(within.sql, within.ids);
	if (filters.since !== undefined) add("e.ts >= ?", filters.since);
	if (filters.until !== undefined) add("e.ts < ?", filters.until);
	if (filters.file !== undefined) addFile(filters.file, add);
	const asksEvent = [filters.session, within, filters.since, filters.until].some((value) => value !== undefined);
	return { narrows: where !== "", event: asksEvent ? "event e ON e.seq = d.seq" : undefined, where, values };
}

/** Undefined: all sessions pass. A name that the log has never seen is no session of it. */
function withinSql(
	source: SearchSource,
	within: SessionFilter,
): { readonly sql: string; readonly ids: string } | undefined {
	if (within === "all") return undefined;
	const [names, not] = "only" in within ? [within.only, ""] : [within.except, "NOT "];
	// As JSON: there may be more sessions than SQLite has variables.
	const ids = JSON.stringify(names.flatMap((name) => source.wordId(name) ?? []));
	return { sql: `e.session ${not}IN (SELECT value FROM json_each(?))`, ids };
}

/** True: the filter lets the session pass. */
export function isWithin(within: SessionFilter, session: string): boolean {
	if (within === "all") return true;
	return "only" in within ? within.only.includes(session) : !within.except.includes(session);
}

/** The documents themselves, newest first, without an index of their text. */
export function fromDocs(filter: Filter): string {
	return `search_doc d ${joinEvent(filter)} WHERE TRUE${filter.where}`;
}

/** CROSS JOIN keeps the full text table first; SQLite's own order would be slower. The value for MATCH comes first. */
export function fromMatch(table: "search_words" | "search_grams", filter: Filter): string {
	const docs = filter.narrows ? `CROSS JOIN search_doc d ON d.id = ${table}.rowid ${joinEvent(filter)}` : "";
	return `${table} ${docs} WHERE ${table} MATCH ?${filter.where}`;
}

function joinEvent(filter: Filter): string {
	return filter.event ? `CROSS JOIN ${filter.event}` : "";
}

export function countDocuments(corpus: Corpus, filter: Filter): number {
	// A plain JOIN lets SQLite choose: it finds one session of many by its index.
	const sql = filter.narrows
		? `SELECT count(*) FROM search_doc d ${filter.event ? `JOIN ${filter.event}` : ""} WHERE TRUE${filter.where}`
		: "SELECT docs FROM search_state";
	return corpus.only(sql, ...filter.values)[0];
}

/** The same filters for one document, without an index; `passesFile` checks the file. */
export function passes({ record, doc }: FoundDocument, filters: SearchFilters): boolean {
	return (
		(filters.role === undefined || doc.role === filters.role) &&
		(filters.tool === undefined || doc.tool === filters.tool) &&
		(filters.session === undefined || record.session === filters.session) &&
		isWithin(filters.within ?? "all", record.session) &&
		(filters.since === undefined || record.ts >= filters.since) &&
		(filters.until === undefined || record.ts < filters.until) &&
		(filters.afterSeq === undefined || record.seq > filters.afterSeq) &&
		(filters.beforeSeq === undefined || record.seq < filters.beforeSeq)
	);
}

export function passesFile(corpus: Corpus, seq: number, file: string | undefined): boolean {
	if (file === undefined) return true;
	const [names, values] = namesOf(file);
	return (
		corpus.row(`SELECT 1 FROM event WHERE file IN ${names} AND (cause = ? OR seq = ?)`, ...values, seq, seq) !==
		undefined
	);
}

/** Events that name a file have the message with the text as their cause. */
function addFile(file: string, add: (condition: string, ...given: SQLInputValue[]) => void): void {
	const [names, values] = namesOf(file);
	add(`d.seq IN (SELECT coalesce(cause, seq) FROM event WHERE file IN ${names})`, ...values);
}

function namesOf(file: string): [sql: string, values: SQLInputValue[]] {
	if (!file.endsWith("/")) return ["(SELECT id FROM word WHERE text = ?)", [file]];
	return ["(SELECT id FROM word WHERE text >= ? AND text < ?)", [file, `${file.slice(0, -1)}0`]];
}
