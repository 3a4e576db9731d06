import { dirname, join } from "node:path";
import { statOf } from "../../base/file/regular-file.ts";
import { asList, asName, asObject, parseJson } from "../../base/json/read.ts";
import { sliceList } from "../../base/json/slice.ts";
import type { SessionReader, SourceFile } from "../recorded/session-reader.ts";
import { readSideFile } from "../recorded/side-file.ts";
import { CONTINUE, ContinueTranslator } from "./translate.ts";

export const continueReader: SessionReader = {
	kind: CONTINUE,
	name: "Continue",
	looksFor: "a JSON file with sessionId and history",
	ofWhole(value, text, file) {
		const session = asName(value["sessionId"]);
		const cut = session === undefined ? undefined : sliceList(text, "history");
		if (session === undefined || !cut) return undefined;
		const cwd = asName(value["workspaceDirectory"])?.replace(/^file:\/\//, "");
		const started = startOf(file, session);
		const translator = new ContinueTranslator({ session, cwd, started, items: cut.elements.length });
		return {
			session,
			cwd,
			open: () => (record, raw) => translator.translate(record, raw),
			records: () => [cut.rest, ...cut.elements].map((text) => ({ text })),
		};
	},
	places: (env, home) => [
		{
			path: join(env["CONTINUE_GLOBAL_DIR"] || join(home, ".continue"), "sessions"),
			holds: (path) => path.endsWith(".json") && path !== "sessions.json",
		},
	],
};

/** From the list in the same folder, or else the file's own time. */
function startOf(file: SourceFile, session: string): number {
	const list = asList(parseJson(readSideFile(dirname(file.path), "sessions.json")));
	const row = list.map(asObject).find((each) => each?.["sessionId"] === session);
	const created = Number(row?.["dateCreated"]);
	return Number.isSafeInteger(created) && created > 0 ? created : Math.trunc(statOf(file.path)?.mtimeMs ?? 0);
}
