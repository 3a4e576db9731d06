/** The function that searches, which migrations make and make again. See `schema.ts`. */
export function findFunction({ isNew, rank }: { readonly isNew: boolean; readonly rank: string }): string {
	return `-- Search. Under row security the index of words is not used, for a match could tell of rows that must not be seen; so the
-- team is a condition here, and nothing but values comes from the caller.
${isNew ? "CREATE" : "CREATE OR REPLACE"} FUNCTION weft.find(query tsquery, besides tsquery, thinking boolean, wanted jsonb, is_ranked boolean, most bigint, skip bigint)
	RETURNS TABLE (project text, log uuid, n bigint, score double precision) LANGUAGE plpgsql STABLE SECURITY DEFINER
	SET search_path = pg_catalog AS $$
DECLARE
	is_in text := CASE WHEN thinking THEN '(e.words @@ %1$s OR e.thoughts @@ %1$s)' ELSE 'e.words @@ %1$s' END;
	sql text := 'SELECT e.project, e.log, e.n, ' || CASE WHEN is_ranked THEN '${rank}' ELSE 'e.ts::float8' END
		|| ' FROM weft.event e JOIN weft.stream s ON s.project = e.project AND s.log = e.log WHERE e.team = $2 AND ' || format(is_in, '$1');
BEGIN
	IF besides IS NOT NULL THEN sql := sql || ' AND NOT ' || format(is_in, '$3'); END IF;
	IF wanted ? 'project' THEN sql := sql || ' AND e.project = $4 ->> ''project'''; END IF;
	IF wanted ? 'session' THEN sql := sql || ' AND e.session = $4 ->> ''session'''; END IF;
	IF wanted ? 'tool' THEN sql := sql || ' AND e.tool = $4 ->> ''tool'''; END IF;
	IF wanted ? 'role' THEN sql := sql || ' AND e.role = $4 ->> ''role'''; END IF;
	IF wanted ? 'machine' THEN sql := sql || ' AND s.machine = $4 ->> ''machine'''; END IF;
	IF wanted ? 'person' THEN sql := sql || ' AND s.person = $4 ->> ''person'''; END IF;
	IF wanted ? 'since' THEN sql := sql || ' AND e.ts >= ($4 ->> ''since'')::bigint'; END IF;
	IF wanted ? 'until' THEN sql := sql || ' AND e.ts < ($4 ->> ''until'')::bigint'; END IF;
	-- As the local search: messages from which an event about that file follows.
	IF wanted ? 'file' THEN
		sql := sql || ' AND EXISTS (SELECT 1 FROM weft.event f WHERE f.project = e.project AND f.log = e.log AND f.cause = e.seq AND '
			|| CASE WHEN wanted ->> 'file' LIKE '%/' THEN 'starts_with(f.file, $4 ->> ''file''))' ELSE 'f.file = $4 ->> ''file'')' END;
	END IF;
	RETURN QUERY EXECUTE sql || ' ORDER BY 4 DESC, e.ts DESC, e.n DESC LIMIT $5 OFFSET $6'
		USING query, weft.team_of(session_user), besides, wanted, most, skip;
END $$;`;
}

/**
 * The rank of the server is that of the words alone, however long the text is. Divided as BM25 does it, with a text of a
 * hundred different words as the usual one, so that a short, pointed line comes before a whole file.
 */
export const RANK_BY_LENGTH =
	"(coalesce(ts_rank(e.words, $1), 0) / (0.25 + 0.0075 * coalesce(length(e.words), 0)))::float8";
