import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { asList, asName, asObject } from "../../base/json/read.ts";
import { sliceList } from "../../base/json/slice.ts";
import type { SessionReader, SourceFile } from "../recorded/session-reader.ts";
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
	try {
		const list = asList(JSON.parse(readFileSync(join(dirname(file.path), "sessions.json"), "utf8")));
		const row = list.map(asObject).find((each) => each?.["sessionId"] === session);
		const created = Number(row?.["dateCreated"]);
		if (Number.isSafeInteger(created) && created > 0) return created;
	} catch {
		// Missing or incomplete.
	}
	return Math.trunc(statSync(file.path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}
