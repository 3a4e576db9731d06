import { dirname, join } from "node:path";
import { filesBelow } from "../../base/file/folder-tree.ts";
import { namesIn } from "../../base/file/regular-file.ts";
import { asInteger, asName, asObject, type JsonObject, parseObject } from "../../base/json/read.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { readLines } from "../recorded/line-reader.ts";
import type { SessionReader, SourceFile } from "../recorded/session-reader.ts";
import { bareLine, cwdOfBare, isBareStart } from "./bare-lines.ts";
import { CODEX, CodexTranslator, codexSession } from "./translate.ts";

export const codexReader: SessionReader = {
	kind: CODEX,
	name: "Codex",
	looksFor: "a first line of type session_meta",
	ofLines(lines, file) {
		const first = lines.find((line) => line !== undefined);
		const isBare = first !== undefined && isBareStart(first);
		const meta = isBare ? first : first?.["type"] === "session_meta" ? asObject(first["payload"]) : undefined;
		const session = meta && (codexSession(meta) ?? threadIn(file.name));
		if (!meta || session === undefined) return undefined;
		const translator = new CodexTranslator(session, { hasUsage: !isBare });
		const cwd = asName(meta["cwd"]) ?? (isBare ? cwdOfBare(lines) : undefined);
		return {
			session,
			cwd,
			open: () => (value, text) => translator.translate(isBare ? bareLine(value, { ...meta, cwd }) : value, text),
			before: () => parentLines(meta, file, translator),
		};
	},
	places(env, home) {
		const root = env["CODEX_HOME"] || join(home, ".codex");
		const holds = (path: string) => /(?:^|\/)rollout-[^/]*\.jsonl$/.test(path);
		return ["sessions", "archived_sessions"].map((name) => ({ path: join(root, name), holds }));
	},
};

/** `rollout-<time>-<thread id>.jsonl` */
export function threadIn(name: string): string | undefined {
	return /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(name)?.[1];
}

/** A fork's file holds only its own lines; the history before them is in its parent's file. */
async function* parentLines(
	meta: JsonObject,
	file: SourceFile,
	translator: CodexTranslator,
): AsyncGenerator<readonly NewEvent[]> {
	const base = asObject(meta["history_base"]);
	const parent = asName(base?.["thread_id"]);
	const until = asInteger(base?.["end_ordinal_exclusive"]);
	const path = parent === undefined ? undefined : findThread(file.path, parent);
	if (path === undefined || until === undefined) return;
	for await (const { text } of readLines(path)) {
		const line = parseObject(text);
		const events = line && translator.copy(line, text?.trim() ?? "", until);
		if (line && !events) return;
		if (events) yield events;
	}
}

const MAX_LEVELS_UP = 4;

/** Codex has a folder for each day: the parent's file may be in any of them. */
function findThread(path: string, thread: string): string | undefined {
	let folder = dirname(path);
	for (let level = 0; level < MAX_LEVELS_UP; level++) {
		const isRoot = /(?:^|[/\\])(?:archived_)?sessions$/.test(folder);
		const isParent = (name: string) => name.endsWith(`-${thread}.jsonl`);
		if (isRoot) return filesBelow(folder).find(({ path }) => isParent(path))?.path;
		const found = namesIn(folder).find(isParent);
		if (found !== undefined) return join(folder, found);
		folder = dirname(folder);
	}
	return undefined;
}
