/** Search over a whole fleet: the words, filters and ranks of the local search, and who said it on which machine. */

import { makeHit, searchedText } from "../log/search/corpus.ts";
import { markTerms, termPatterns } from "../log/search/mark.ts";
import { parseTerms } from "../log/search/query.ts";
import type { FindQuery, Hit } from "../log/search/types.ts";
import type { Searchable, SearchDoc } from "../log/types.ts";
import type { FleetConnection } from "./connect.ts";
import { type FleetRecord, fleetConditions, recordOf } from "./read.ts";
import { fleetQueries } from "./words.ts";

export interface FleetFindQuery extends Omit<FindQuery, "afterSeq" | "beforeSeq" | "deadlineMs"> {
	/** null: all projects. */
	readonly project: string | null;
	readonly machine?: string | undefined;
	readonly person?: string | undefined;
}

export interface FleetHit extends Hit {
	readonly handle: string;
	readonly machine: string;
	readonly person: string;
	readonly project: string;
}

const DEFAULT_LIMIT = 20;

export async function grepFleet(
	connection: FleetConnection,
	query: FleetFindQuery,
	searchable: Searchable,
): Promise<{ readonly hits: readonly FleetHit[]; readonly next?: number | undefined }> {
	const queries = fleetQueries(query.text);
	const limit = query.limit ?? DEFAULT_LIMIT;
	const found: (FleetRecord & { readonly score: number })[] = [];
	let skip = query.offset ?? 0;
	const wanted = query.order === "recent" ? queries.slice(-1) : queries;
	for (const [at, words] of wanted.entries()) {
		const missing = limit + 1 - found.length;
		if (missing <= 0) break;
		const rows = await findWords(connection, query, { words, besides: wanted[at - 1], limit: missing, offset: skip });
		found.push(...rows);
		// What the better query had of the pages before this one.
		if (rows.length === 0 && skip > 0 && at < wanted.length - 1) skip -= await countWords(connection, query, words);
		else skip = 0;
	}
	const patterns = termPatterns(parseTerms(query.text));
	const thinking = query.thinking ?? false;
	const hits = found.slice(0, limit).map((record) => {
		const doc: SearchDoc = searchable(record) ?? { role: "", text: "" };
		const text = searchedText(doc, { thinking });
		const { handle, machine, person, project } = record;
		return {
			...makeHit({ record, doc }, text, markTerms(text, patterns), record.score),
			handle,
			machine,
			person,
			project,
		};
	});
	return { hits, next: found.length > limit ? (query.offset ?? 0) + limit : undefined };
}

interface Wanted {
	readonly words: string;
	/** What this one finds was found before. */
	readonly besides: string | undefined;
	readonly limit: number;
	readonly offset: number;
}

async function findWords(
	connection: FleetConnection,
	query: FleetFindQuery,
	{ words, besides, limit, offset }: Wanted,
) {
	const { where, values } = conditionsOf(query, words, besides);
	const rank = query.order === "recent" ? "e.ts" : "ts_rank(e.words, to_tsquery('weft.words', $1))";
	const { rows } = await connection.query<{ readonly payload: string; readonly score: number }>(
		`SELECT e.project, e.log, e.n, e.seq, e.id, s.origin, e.session, e.host, e.ts, e.type, e.v, e.cause, e.entry, e.payload,
			e.handle, s.machine, s.person, ${rank} AS score
		FROM weft.event e JOIN weft.stream s ON s.project = e.project AND s.log = e.log
		WHERE ${where} ORDER BY score DESC NULLS LAST, e.ts DESC, e.n DESC LIMIT ${limit} OFFSET ${offset}`,
		values,
	);
	return rows.map((row) => ({ ...recordOf({ ...row }), score: Number(row.score) }));
}

async function countWords(connection: FleetConnection, query: FleetFindQuery, words: string): Promise<number> {
	const { where, values } = conditionsOf(query, words, undefined);
	const { rows } = await connection.query<{ n: string }>(
		`SELECT count(*) AS n FROM weft.event e JOIN weft.stream s ON s.project = e.project AND s.log = e.log WHERE ${where}`,
		values,
	);
	return Number(rows[0]?.n ?? 0);
}

function conditionsOf(query: FleetFindQuery, words: string, besides: string | undefined) {
	const { file, role, ...others } = query;
	const filter = fleetConditions({ ...others, order: undefined, limit: undefined });
	const values: unknown[] = [words];
	const place = (value: unknown) => `$${values.push(value)}`;
	const where = filter.where.replace(/\$(\d+)/g, (_, at: string) => place(filter.values[Number(at) - 1]));
	const isIn = (at: string) =>
		query.thinking
			? `(e.words @@ to_tsquery('weft.words', ${at}) OR e.thoughts @@ to_tsquery('weft.words', ${at}))`
			: `e.words @@ to_tsquery('weft.words', ${at})`;
	const parts = [where, isIn("$1")];
	if (besides !== undefined) parts.push(`NOT ${isIn(place(besides))}`);
	if (role !== undefined) parts.push(`e.role = ${place(role)}`);
	// As the local search: messages from which an event about that file follows.
	if (file !== undefined) {
		const at = place(file);
		const isOf = file.endsWith("/") ? `starts_with(f.file, ${at})` : `f.file = ${at}`;
		parts.push(
			`EXISTS (SELECT 1 FROM weft.event f WHERE f.project = e.project AND f.log = e.log AND f.cause = e.seq AND ${isOf})`,
		);
	}
	return { where: parts.join(" AND "), values };
}
