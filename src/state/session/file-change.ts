/** Which files a call changed, and how: read from its arguments and from the details that the agent stores with the result. */

import {
	type Hunk,
	hunksBetween,
	hunksOfCreation,
	readDisplayDiff,
	readHunks,
	readUnified,
} from "../../base/diff/unified.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { asInteger, asList, asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { countLines } from "../../base/text/lines.ts";
import type { ResultBlock } from "../../message/view.ts";
import type { SessionCall } from "./calls.ts";
import { readPatchEnvelope } from "./patch-envelope.ts";
import { patchesOf, pathIn } from "./shell-command.ts";

export interface FileChange {
	readonly path: string;
	readonly kind: "edit" | "write" | "delete";
	readonly created?: true | undefined;
	/** The file moved from here to `path`, and replaced what was there. */
	readonly movedFrom?: string | undefined;
	readonly hunks?: readonly Hunk[] | undefined;
	/** Lines added, when there are no hunks to count. */
	readonly added?: number | undefined;
	/** SHA-256 of the whole file afterwards. */
	readonly hash?: string | undefined;
}

/** `textOf`: the whole text of a file before the call, where it is known. */
export function changesBy(
	call: SessionCall,
	result: ResultBlock,
	textOf: (path: string) => string | undefined = () => undefined,
): FileChange[] {
	const details = asObject(result.details) ?? {};
	if (call.class === "patch" || call.class === "shell") return patchedBy(call.input);
	const path = asName(details["filePath"]) ?? pathOf(call.input);
	if (call.class === "write") return path === undefined ? [] : [written(path, call.input, details, textOf)];
	const several = asList(details["perFileResults"]).flatMap((item) => {
		const file = asObject(item) ?? {};
		const name = asName(file["path"]);
		return name === undefined ? [] : [edited(name, {}, file)];
	});
	if (several.length > 0) return several;
	return path === undefined ? [] : [edited(path, call.input, details)];
}

function written(
	path: string,
	input: JsonObject,
	details: JsonObject,
	textOf: (path: string) => string | undefined,
): FileChange {
	const content = asText(input["content"]) ?? asText(details["content"]);
	if (content === undefined) return { path, kind: "write" };
	const hash = sha256(content);
	if (details["type"] === "create") {
		return { path, kind: "write", created: true, hunks: hunksOfCreation(content), hash };
	}
	const before = asText(details["originalFile"]);
	const hunks = before === undefined ? undefined : hunksBetween(before, content);
	const noted = hunks ?? readHunks(details["structuredPatch"]) ?? readUnified(asText(details["patch"]) ?? "");
	const known = noted ?? hunksSince(textOf(path), content);
	return { path, kind: "write", added: countLines(content), hash, hunks: known };
}

function hunksSince(before: string | undefined, content: string): Hunk[] | undefined {
	return before === undefined ? undefined : hunksBetween(before, content);
}

function edited(path: string, input: JsonObject, details: JsonObject): FileChange {
	const hunks =
		hunksOfWholeFile(details) ??
		readUnified(asText(details["patch"]) ?? "") ??
		readUnified(asText(details["diff"]) ?? "") ??
		readDisplayDiff(asText(details["diff"]) ?? "") ??
		readHunks(details["structuredPatch"]) ??
		hunksOfArguments(input, asInteger(details["firstChangedLine"]));
	return hunks ? { path, kind: "edit", hunks } : { path, kind: "edit" };
}

/**
 * Claude Code stores the file as it was before the edit. Its own hunks come second, because it turns tabs into spaces
 * there. If the user changed the edit before it ran, only the hunks are true.
 */
function hunksOfWholeFile(details: JsonObject): Hunk[] | undefined {
	const before = asText(details["originalFile"]);
	if (before === undefined || details["userModified"] === true) return undefined;
	let after = before;
	for (const edit of editsOf(details)) {
		if (edit.before === "" || !after.includes(edit.before)) return undefined;
		after = edit.all ? after.replaceAll(edit.before, () => edit.after) : after.replace(edit.before, () => edit.after);
	}
	return after === before ? undefined : hunksBetween(before, after);
}

/** The arguments do not say where in the file the texts are. Lines count from 1 unless the agent names the first one. */
function hunksOfArguments(input: JsonObject, firstChangedLine: number | undefined): Hunk[] | undefined {
	const edits = editsOf(input);
	const hunks: Hunk[] = [];
	for (const edit of edits) {
		const found = hunksBetween(closed(edit.before), closed(edit.after));
		if (!found) return undefined;
		const first = found[0];
		const ahead = first?.lines.findIndex((line) => !line.startsWith(" ")) ?? 0;
		const shift =
			first && firstChangedLine !== undefined && edits.length === 1 ? firstChangedLine - first.newStart - ahead : 0;
		for (const hunk of found) {
			hunks.push({ ...hunk, oldStart: hunk.oldStart + shift, newStart: hunk.newStart + shift });
		}
	}
	return hunks.length > 0 ? hunks : undefined;
}

function closed(text: string): string {
	return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

export interface Replacement {
	readonly before: string;
	readonly after: string;
	readonly all: boolean;
}

export function editsOf(input: JsonObject): Replacement[] {
	const list = asList(typeof input["edits"] === "string" ? parsed(input["edits"]) : input["edits"]);
	const edits: Replacement[] = [];
	for (const item of list.length > 0 ? list : [input]) {
		const edit = asObject(item) ?? {};
		const before = asText(edit["oldText"]) ?? asText(edit["oldString"]) ?? asText(edit["old_string"]);
		const after = asText(edit["newText"]) ?? asText(edit["newString"]) ?? asText(edit["new_string"]);
		if (before === undefined || after === undefined) continue;
		edits.push({ before, after, all: edit["replaceAll"] === true || edit["replace_all"] === true });
	}
	return edits;
}

/** Some models send the list of edits as JSON text, and Pi accepts it. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

export function pathOf(input: JsonObject): string | undefined {
	return (
		asName(input["path"]) ?? asName(input["file_path"]) ?? asName(input["filePath"]) ?? asName(input["notebook_path"])
	);
}

/** The changes of a call's patches, wherever they are written. */
export function patchedBy(input: JsonObject): FileChange[] {
	return patchesOf(input).flatMap(({ patch, folder }) =>
		readPatchEnvelope(patch).map((change) => ({
			...change,
			path: pathIn(folder, change.path),
			...(change.movedFrom !== undefined && { movedFrom: pathIn(folder, change.movedFrom) }),
		})),
	);
}
