/** A session of opencode, from its database or from the JSON files of older releases. */
import { join } from "node:path";
import { asNumber, asObject, type JsonObject } from "../../base/json/read.ts";
import { joinLast } from "../../log/store/payload-text.ts";
import type { KnownEvents, StoreRecord, StoreSession } from "../recorded/session-reader.ts";
import { readWholeOutput } from "../recorded/whole-output.ts";
import { OpencodeTranslator } from "./translate.ts";

/** In the program's data folder: outputs that it cuts, whole. */
export const OUTPUT_FOLDER = "tool-output";

/** Session to its parent: the session that it works for. */
export type SessionParents = ReadonlyMap<string, string | undefined>;

export interface StoredOpencodeSession {
	readonly host: string;
	readonly id: string;
	/** Of this session and its relatives, as far as they are known. */
	readonly parents: SessionParents;
	readonly cwd: string | undefined;
	readonly version: string | undefined;
	readonly created: number | undefined;
	/** The program's data folder. */
	readonly folder: string;
}

export function sessionOf(of: StoredOpencodeSession): Pick<StoreSession, "session" | "cwd" | "open"> {
	const { host, id, parents, cwd, version, created = 0, folder } = of;
	const session = nameOf(id, parents);
	const parent = parents.get(id);
	return {
		session,
		cwd,
		open(log) {
			const translator = new OpencodeTranslator({
				host,
				session,
				parent: parent === undefined ? undefined : nameOf(parent, parents),
				cwd,
				version,
				created,
				childName: (child) => nameOf(child, parents.has(child) ? parents : new Map([...parents, [child, id]])),
				keepOutput: outputKeeper(join(folder, OUTPUT_FOLDER), log),
			});
			return (record, raw) => translator.translate(record, raw);
		},
	};
}

const MAX_DEPTH = 20;

/** A sub-agent's session is named `<root>/<id>`. */
function nameOf(id: string, parents: SessionParents): string {
	let root = id;
	for (let steps = 0; steps < MAX_DEPTH; steps++) {
		const parent = parents.get(root);
		if (parent === undefined || parent === root) break;
		root = parent;
	}
	return root === id ? id : `${root}/${id}`;
}

/** Stores the file that a cut output names and returns its SHA-256; undefined if the file is gone. */
function outputKeeper(folder: string, log: KnownEvents): ((path: string) => string | undefined) | undefined {
	if (!log.putBlob) return undefined;
	return (path) => {
		const bytes = readWholeOutput(folder, path);
		return bytes && log.putBlob?.(bytes);
	};
}

/** A row as JSON, with its `data` column verbatim; `data` is the parsed text. */
export function rowRecord(columns: JsonObject, text: string, data: unknown): StoreRecord {
	const head = JSON.stringify(columns);
	return { text: joinLast(head, "data", text), value: { ...(JSON.parse(head) as JsonObject), data } };
}

/** True: nothing will be added to the message. */
export function isDone(message: JsonObject | undefined): boolean {
	return message?.["role"] !== "assistant" || asNumber(asObject(message["time"])?.["completed"]) !== undefined;
}
