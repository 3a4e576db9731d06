/** The host's own ids of messages: from the rows that its cursor gave, or from the session file of an older host. */
import type { Engine } from "../../engine.ts";
import type { SessionParams } from "./contract.ts";
import { type Row, readRows } from "./host-state.ts";
import { readTranscriptFile } from "./transcript-file.ts";

/** The rows of a session's transcript, the newest first. */
export async function hostRows(engine: Engine, { sessionId, sessionFile }: SessionParams): Promise<Iterable<Row>> {
	const file = await readTranscriptFile(sessionFile);
	return file ? file.rows.toReversed() : readRows(engine, sessionId);
}

/** Undefined: no row is that message. */
export function hostIdOf(entry: string | null, rows: Iterable<Row>): string | undefined {
	for (const [entryId, name] of rows) if (name === entry) return entryId;
	return undefined;
}
