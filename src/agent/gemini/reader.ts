import { basename, dirname, join } from "node:path";
import { sha256 } from "../../base/hash/sha256.ts";
import { asList, asName, asObject, type JsonObject, parseObject } from "../../base/json/read.ts";
import { sliceList } from "../../base/json/slice.ts";
import { writeJson } from "../../base/json/write.ts";
import type { SessionReader, SourceFile } from "../recorded/session-reader.ts";
import { readSideFile } from "../recorded/side-file.ts";
import { GEMINI, type GeminiSession, GeminiTranslator } from "./translate.ts";

export const geminiReader: SessionReader = {
	kind: GEMINI,
	name: "Gemini CLI",
	looksFor: "a first line with sessionId and projectHash",
	ofLines(lines, file, isAll) {
		const header = lines.find((line) => line !== undefined);
		if (!header || !isHeader(header)) return undefined;
		const of = sessionOf(header, file, lines);
		// A later message may name the folder.
		if (of.cwd === undefined && !isAll && lines.length < 3) return undefined;
		const translator = new GeminiTranslator(of);
		return { session: of.session, cwd: of.cwd, open: () => (value, text) => translator.translate(value, text) };
	},
	/** Until 2026 a session was one JSON value. */
	ofWhole(value, text, file) {
		const cut = isHeader(value) ? sliceList(text, "messages") : undefined;
		if (!cut) return undefined;
		const of = sessionOf(value, file, asList(value["messages"]).slice(0, 3).map(asObject));
		const translator = new GeminiTranslator(of);
		return {
			session: of.session,
			cwd: of.cwd,
			open: () => (record, raw) => translator.translate(record, raw),
			records: () => [cut.rest, ...cut.elements].map((text) => ({ text })),
		};
	},
	places(env, home) {
		const holds = (path: string) => /(?:^|\/)chats\/(?:[^/]+\/)?[^/]+\.jsonl?$/.test(path);
		return [{ path: join(env["GEMINI_CLI_HOME"] || home, ".gemini", "tmp"), holds }];
	},
};

function isHeader(value: JsonObject): boolean {
	return asName(value["sessionId"]) !== undefined && asName(value["projectHash"]) !== undefined;
}

function sessionOf(header: JsonObject, file: SourceFile, lines: readonly (JsonObject | undefined)[]): GeminiSession {
	const id = asName(header["sessionId"]) ?? file.name;
	const folder = dirname(file.path);
	// Only the folder of a sub-agent's file names its parent.
	const parent = header["kind"] === "subagent" ? basename(folder) : undefined;
	const chats = parent === undefined ? folder : dirname(folder);
	const cwd =
		asName(asList(header["directories"])[0]) ??
		rootBeside(chats) ??
		folderIn(lines) ??
		listedFolder(chats, asName(header["projectHash"]));
	return { session: parent === undefined ? id : `${parent}/${id}`, parent, cwd };
}

function rootBeside(chats: string): string | undefined {
	return asName(readSideFile(dirname(chats), ".project_root")?.trim());
}

/** Until 2026 a session held only the hash of its folder's path. The program's list of folders has the path. */
function listedFolder(chats: string, hash: string | undefined): string | undefined {
	const list = parseObject(readSideFile(join(dirname(chats), "..", ".."), "projects.json")) ?? {};
	return Object.keys(asObject(list["projects"]) ?? list).find((folder) => sha256(folder) === hash);
}

/** The program's first message to the model names the folder. */
function folderIn(lines: readonly (JsonObject | undefined)[]): string | undefined {
	for (const line of lines) {
		const found = /Workspace Directories:\*\*\\n\s*- ([^\\"]+)/.exec(writeJson(line ?? "").slice(0, 5_000));
		if (found) return found[1];
	}
	return undefined;
}
