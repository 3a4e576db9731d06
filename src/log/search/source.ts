import type { DatabaseSync } from "node:sqlite";
import type { EventRecord } from "../event/types.ts";

/** What search needs of the log. */
export interface SearchSource {
	readonly db: DatabaseSync;
	transaction<T>(work: () => T): T;
	/** Events after a seq, oldest first. */
	records(query: { readonly after: number; readonly types?: readonly string[]; readonly limit: number }): EventRecord[];
	record(seq: number): EventRecord | undefined;
	/** The id of a name in the log's dictionary, if it is there. */
	wordId(text: string): number | undefined;
	/** The same, made if it is missing; inside a transaction. */
	internWord(text: string): number;
	word(id: number): string;
}
