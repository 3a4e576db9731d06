/** The records of a session file as they stand in it: lines, parts of a JSON value, or rows of a database. */
import { parseObject } from "../../base/json/read.ts";
import { cutFile } from "./cut-file.ts";
import { readLines } from "./line-reader.ts";

export interface FileRecord {
	readonly number: number;
	/** Undefined: it is too long. */
	readonly line: string | Buffer | undefined;
	/** The last line of a file whose program may still be writing it: nobody reads it before it is complete. */
	readonly isHalf?: boolean | undefined;
}

/** Every one that says something. */
export async function* recordsOf(path: string): AsyncGenerator<FileRecord> {
	const cut = cutFile(path);
	if (!cut) {
		for await (const { number, text, bytes, ended } of readLines(path)) {
			const trimmed = text?.trim();
			const isHalf = !ended && parseObject(trimmed ?? "") === undefined;
			if (trimmed !== "") yield { number, line: bytes ?? trimmed, isHalf };
		}
		return;
	}
	try {
		let number = 0;
		for (const session of cut.sessions())
			for (const { text } of session.records()) yield { number: ++number, line: text };
	} finally {
		cut.close();
	}
}
