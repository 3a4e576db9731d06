/** What kind of session a file holds, from its first lines. */
import { closeSync, readSync } from "node:fs";
import { constants, gunzipSync } from "node:zlib";
import { openRegular } from "../file/regular.ts";
import { asName, asObject, type JsonObject } from "../json/read.ts";

export type FileKind =
	| { readonly kind: "pi"; readonly header: JsonObject }
	| { readonly kind: "claude-code"; readonly session: string; readonly cwd: string | undefined }
	| { readonly kind: "weft" };

/** Lines of Claude Code that may stand before any that names the session. */
const CLAUDE_CODE_LINES = new Set(["summary", "file-history-snapshot", "queue-operation", "custom-title", "ai-title"]);
const CLAUDE_CODE_KEYS = ["leafUuid", "messageId", "sessionId"];

/**
 * Decides as soon as the lines allow it; undefined: not yet, or never. `values` are the first lines, parsed; what could
 * not be parsed is undefined. `fileName` is without its folder.
 */
export function detectKind(values: readonly unknown[], fileName: string, atEnd: boolean): FileKind | undefined {
	let session: string | undefined;
	let cwd: string | undefined;
	let claudeCode = false;
	let headless = false;
	for (const [index, value] of values.entries()) {
		const line = asObject(value);
		if (!line) continue;
		if (line["type"] === "weft-archive" && index === 0) return { kind: "weft" };
		if (isPiHeader(line)) return { kind: "pi", header: line };
		if (isPiEntry(line)) headless = true;
		else {
			claudeCode ||= isClaudeCode(line);
			session ??= asName(line["sessionId"]);
			cwd ??= asName(line["cwd"]);
		}
	}
	if (claudeCode && ((session !== undefined && cwd !== undefined) || atEnd)) {
		return { kind: "claude-code", session: session ?? stem(fileName), cwd };
	}
	// The header is missing or damaged: Pi's file names end with the session's id.
	if (headless && atEnd) return { kind: "pi", header: { type: "session", id: stem(fileName).replace(/^.*_/, "") } };
	return undefined;
}

/** An archive that `prune --gzip` wrote. */
export function isPackedArchive(path: string): boolean {
	const head = Buffer.alloc(512);
	let file: number | undefined;
	try {
		file = openRegular(path);
		const bytes = readSync(file, head, 0, head.length, 0);
		if (bytes < 2 || head[0] !== 0x1f || head[1] !== 0x8b) return false;
		// A file cut off after its beginning still tells what it is.
		const text = gunzipSync(head.subarray(0, bytes), { finishFlush: constants.Z_SYNC_FLUSH }).toString("utf8");
		return text.startsWith('{"type":"weft-archive"');
	} catch {
		return false;
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

/** `agent-<id>.jsonl` is the side chain of an agent. */
export function agentOf(fileName: string): string | undefined {
	return /^agent-(.+)\.jsonl$/.exec(fileName)?.[1];
}

function isPiHeader(line: JsonObject): boolean {
	return line["type"] === "session" && asName(line["id"]) !== undefined;
}

function isPiEntry(line: JsonObject): boolean {
	if (asName(line["type"]) === undefined || asName(line["timestamp"]) === undefined) return false;
	const isMessage = line["type"] === "message" && asName(asObject(line["message"])?.["role"]) !== undefined;
	return isMessage || (asName(line["id"]) !== undefined && "parentId" in line);
}

function isClaudeCode(line: JsonObject): boolean {
	const type = asName(line["type"]);
	if (type === undefined) return false;
	if (asName(line["uuid"]) !== undefined && "parentUuid" in line) return true;
	return CLAUDE_CODE_LINES.has(type) && CLAUDE_CODE_KEYS.some((key) => asName(line[key]) !== undefined);
}

function stem(fileName: string): string {
	return fileName.replace(/\.jsonl$/, "");
}
