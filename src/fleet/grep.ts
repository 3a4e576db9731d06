/** Search over a fleet: the words, filters and ranks of the local search, with the person and machine of each hit. */

import { makeHit, searchedText } from "../log/search/corpus.ts";
import { parseTerms } from "../log/search/query.ts";
import { markTerms, termPatterns } from "../log/search/term-marks.ts";
import type { FindQuery, Hit } from "../log/search/types.ts";
import type { Searchable, SearchDoc } from "../log/types.ts";
import type { FleetConnection } from "./connection.ts";
import { plausibleTime } from "./plausible-time.ts";
import { type FleetRecord, recordOf } from "./read-events.ts";
import { fleetQueries } from "./search-words.ts";
import { serverText } from "./server-text.ts";
import { SHIPPER_COLUMNS, type Shipper } from "./shipper.ts";

export interface FleetFindQuery extends Omit<FindQuery, "afterSeq" | "beforeSeq" | "deadlineMs"> {
	/** null: all projects. */
	readonly project: string | null;
	readonly machine?: string | undefined;
	/** A role of the server. */
	readonly person?: string | undefined;
}

export interface FleetHit extends Hit, Shipper {
	readonly handle: string;
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
		// Subtracts the hits of the better query on the pages before.
		if (rows.length === 0 && skip > 0 && at < wanted.length - 1) skip -= await countWords(connection, query, words);
		else skip = 0;
	}
	const patterns = termPatterns(parseTerms(query.text));
	const thinking = query.thinking ?? false;
	const hits = found.slice(0, limit).map((record) => {
		const doc: SearchDoc = searchable(record) ?? { role: "", text: "" };
		const text = searchedText(doc, { thinking });
		const { handle, person, says, machine, project } = record;
		return {
			...makeHit({ record, doc }, text, markTerms(text, patterns), record.score),
			handle,
			person,
			says,
			machine,
			project,
		};
	});
	return { hits, next: found.length > limit ? (query.offset ?? 0) + limit : undefined };
}

interface WordQuery {
	readonly words: string;
	/** Leaves out the hits of this query. */
	readonly besides: string | undefined;
	readonly limit: number;
	readonly offset: number;
}

async function findWords(connection: FleetConnection, query: FleetFindQuery, wanted: WordQuery) {
	const { rows } = await connection.query<{ readonly payload: string; readonly score: number }>(
		`SELECT e.project, e.log, e.n, e.seq, e.id, s.origin, e.session, e.host, e.ts, e.type, e.v, e.cause, e.entry, e.payload,
			e.handle, ${SHIPPER_COLUMNS}, f.score
		FROM ${FIND} f
		JOIN weft.event e ON e.project = f.project AND e.log = f.log AND e.n = f.n
		JOIN weft.stream s ON s.project = e.project AND s.log = e.log
		ORDER BY f.score DESC, ${plausibleTime("e.ts")} DESC, e.n DESC`,
		findValues(query, wanted),
	);
	return rows.map((row) => ({ ...recordOf({ ...row }), score: Number(row.score) }));
}

async function countWords(connection: FleetConnection, query: FleetFindQuery, words: string): Promise<number> {
	const all = { words, besides: undefined, limit: Number.MAX_SAFE_INTEGER, offset: 0 };
	const { rows } = await connection.query<{ n: string }>(`SELECT count(*) AS n FROM ${FIND}`, findValues(query, all));
	return Number(rows[0]?.n ?? 0);
}

const FIND = "weft.find($1::tsquery, $2::tsquery, $3, $4, $5, $6, $7)";

function findValues(query: FleetFindQuery, { words, besides, limit, offset }: WordQuery): unknown[] {
	const { project, session, tool, role, machine, person, since, until, file } = query;
	const texts = { project: project ?? undefined, session, tool, role, machine, person, file };
	const named = Object.entries(texts).flatMap(([name, text]) =>
		text === undefined ? [] : [[name, serverText(text)] as const],
	);
	const filters = JSON.stringify({ ...Object.fromEntries(named), since, until });
	return [words, besides ?? null, query.thinking ?? false, filters, query.order !== "recent", limit, offset];
}
