/**
 * Notes that the reader of an agent's sessions attaches to a result: which commands ran, which lines were shown, which
 * files changed. Only the reader knows the agent's tools and formats. The notes are in the result's `details.noted`, so
 * that events can be derived from the message again.
 */
import { hunksOfCreation, readUnified } from "../../base/diff/unified.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { asInteger, asList, asName, asObject, asText } from "../../base/json/read.ts";
import { countLines } from "../../base/text/lines.ts";
import type { FileChange } from "./file-change.ts";

export interface NotedRun {
	readonly command: string;
	/** null: unknown. */
	readonly exit: number | null;
}

export interface NotedRead {
	readonly path: string;
	readonly from: number;
	readonly to: number | null;
	/** SHA-256 of the lines that were shown. */
	readonly hash: string;
}

/** A change as a reader writes it. */
export interface NotedChange {
	readonly path: string;
	readonly kind: "edit" | "write" | "delete";
	readonly created?: boolean | undefined;
	/** A unified diff. */
	readonly patch?: string | undefined;
	/** The whole file after the change. With `created`, all its lines are new. */
	readonly content?: string | undefined;
	/** A command made the change, not an edit tool. */
	readonly byShell?: boolean | undefined;
}

export interface NotedChild {
	readonly session: string;
	readonly task?: string | undefined;
}

/** The shape of `details.noted`. */
export interface ReaderNotes {
	readonly runs?: readonly NotedRun[] | undefined;
	readonly reads?: readonly NotedRead[] | undefined;
	readonly changes?: readonly NotedChange[] | undefined;
	readonly child?: NotedChild | undefined;
}

/** Notes as read back from a message. */
export interface ParsedNotes {
	readonly runs: readonly NotedRun[];
	readonly reads: readonly NotedRead[];
	readonly changes: readonly (FileChange & { readonly byShell: boolean })[];
	readonly child: NotedChild | undefined;
}

export function notedRead(path: string, from: number, to: number | null, text: string): NotedRead {
	return { path, from, to, hash: sha256(text) };
}

/** Undefined: the result has no notes, and the tool's name decides. */
export function readReaderNotes(details: unknown): ParsedNotes | undefined {
	const noted = asObject(asObject(details)?.["noted"]);
	if (!noted) return undefined;
	return {
		runs: objects(noted["runs"]).flatMap((run) => {
			const command = asText(run["command"]);
			return command === undefined ? [] : [{ command, exit: asInteger(run["exit"]) ?? null }];
		}),
		reads: objects(noted["reads"]).flatMap((read) => {
			const [path, hash] = [asName(read["path"]), asName(read["hash"])];
			if (path === undefined || hash === undefined) return [];
			return [{ path, from: asInteger(read["from"]) ?? 1, to: asInteger(read["to"]) ?? null, hash }];
		}),
		changes: objects(noted["changes"]).flatMap(readChange),
		child: readChild(noted["child"]),
	};
}

function readChange(change: Readonly<Record<string, unknown>>): ParsedNotes["changes"] {
	const path = asName(change["path"]);
	const kind = change["kind"];
	if (path === undefined || (kind !== "edit" && kind !== "write" && kind !== "delete")) return [];
	const content = asText(change["content"]);
	const created = change["created"] === true;
	const patch = readUnified(asText(change["patch"]) ?? "");
	const hunks = patch ?? (created && content !== undefined ? hunksOfCreation(content) : undefined);
	return [
		{
			path,
			kind,
			created: created ? true : undefined,
			hunks,
			added: content === undefined ? undefined : countLines(content),
			hash: content === undefined ? undefined : sha256(content),
			byShell: change["byShell"] === true,
		},
	];
}

function readChild(value: unknown): NotedChild | undefined {
	const child = asObject(value);
	const session = asName(child?.["session"]);
	return session === undefined ? undefined : { session, task: asName(child?.["task"]) };
}

function objects(value: unknown): Readonly<Record<string, unknown>>[] {
	return asList(value).map((item) => asObject(item) ?? {});
}
