/**
 * Indexes by checkpoint, in bounded transactions. Several processes may index at once: each reads the checkpoint under the
 * write lock and continues there.
 */
import type { Corpus } from "./corpus.ts";
import { readDocument } from "./indexed-document.ts";

const STEP_RECORDS = 64;
const MAX_DOCS = 4_000;

export interface IndexOptions {
	/** Ends after the transaction in which it passes; at least one runs. */
	readonly deadlineMs?: number | undefined;
	/** Bounds one transaction, in characters of text, and with it how long others wait for the lock. */
	readonly chars?: number | undefined;
}

export interface IndexProgress {
	/** Documents added. */
	readonly indexed: number;
	/** Events not indexed yet. */
	readonly left: number;
}

export function catchUp(
	corpus: Corpus,
	{ deadlineMs = Number.POSITIVE_INFINITY, chars = 1_000_000 }: IndexOptions,
): IndexProgress {
	const end = performance.now() + deadlineMs;
	// Other processes may keep appending: the events up to now are enough.
	const head = corpus.newestSeq();
	let indexed = 0;
	let seq = indexedSeq(corpus);
	while (seq < head) {
		const step = corpus.source.transaction(() => indexSome(corpus, chars));
		indexed += step.docs;
		seq = step.seq;
		if (performance.now() > end) break;
	}
	return { indexed, left: Math.max(0, head - seq) };
}

export function indexedSeq(corpus: Corpus): number {
	return corpus.only("SELECT seq FROM search_state")[0];
}

function indexSome(corpus: Corpus, maxChars: number): { docs: number; seq: number } {
	const { source } = corpus;
	const [start, before] = corpus.only<[number, number]>("SELECT seq, docs FROM search_state");
	const head = corpus.newestSeq();
	let seq = start;
	let docs = before;
	let chars = 0;
	while (seq < head && chars < maxChars && docs - before < MAX_DOCS) {
		const records = source.records({ after: seq, limit: STEP_RECORDS });
		for (const record of records) {
			seq = record.seq;
			const doc = corpus.searchable(record);
			if (!doc) continue;
			const thought = doc.thinking ?? "";
			const { grams, texts } = readDocument([doc.text, thought]);
			docs++;
			chars += doc.text.length + thought.length;
			corpus.run(
				"INSERT INTO search_doc VALUES (?, ?, ?, ?)",
				docs,
				seq,
				source.internWord(doc.role),
				doc.tool === undefined ? null : source.internWord(doc.tool),
			);
			corpus.run(
				"INSERT INTO search_words (rowid, body, thinking) VALUES (?, CAST(? AS TEXT), CAST(? AS TEXT))",
				docs,
				...texts,
			);
			corpus.run("INSERT INTO search_grams (rowid, grams) VALUES (?, ?)", docs, grams);
			if (chars >= maxChars) break;
		}
		if (records.length < STEP_RECORDS && seq === (records.at(-1)?.seq ?? seq)) seq = head;
	}
	corpus.run("UPDATE search_state SET seq = ?, docs = ?", seq, docs);
	return { docs: docs - before, seq };
}
