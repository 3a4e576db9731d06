/**
 * Archives: events as JSON lines, exact enough to be read back in (`restore.ts`). The first line says what the file is;
 * a blob that its events need stands as a line of its own before them. A JSONL export has the same form.
 */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { translateSqliteError } from "../sqlite/busy.ts";
import { all } from "../sqlite/rows.ts";
import { databaseOf } from "./database.ts";
import type { Log } from "./log.ts";
import { joinLast } from "./payload.ts";
import type { StoredRecord } from "./read.ts";

export const ARCHIVE_TYPE = "weft-archive";

/** The lines of an archive of these events. */
export function* archiveLines(log: Log, records: Iterable<StoredRecord>): Generator<string> {
	yield JSON.stringify({ type: ARCHIVE_TYPE, version: 1 });
	const blobsOf = databaseOf(log).prepare("SELECT lower(hex(hash)) AS hash FROM blob_use WHERE seq = ?");
	const written = new Set<string>();
	for (const record of records) {
		for (const { hash } of all<{ hash: string }>(blobsOf, record.seq)) {
			if (written.has(hash)) continue;
			written.add(hash);
			yield JSON.stringify({ blob: hash, base64: log.getBlob(hash)?.toString("base64") });
		}
		const { text, ...fields } = record;
		yield joinLast(JSON.stringify(fields), "payload", text);
	}
}

/** Writes the lines to a new file and sees them safely on disk. A file that is there already is never overwritten. */
export async function writeArchive(
	path: string,
	lines: Iterable<string>,
	options: { readonly gzip: boolean },
): Promise<void> {
	const file = createWriteStream(path, { mode: 0o600, flush: true, flags: "wx" });
	const done = finished(file).catch((cause: unknown) => {
		throw translateSqliteError(cause, path);
	});
	const sink = options.gzip ? createGzip() : file;
	if (sink !== file) sink.pipe(file);
	for (const line of lines) {
		if (!sink.write(`${line}\n`)) await Promise.race([once(sink, "drain"), done]);
	}
	sink.end();
	await done;
}
