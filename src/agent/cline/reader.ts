import { basename, dirname, join } from "node:path";
import { asList, asName, asObject, type JsonObject, parseObject } from "../../base/json/read.ts";
import { sliceList } from "../../base/json/slice.ts";
import type { SessionReader, SourceFile } from "../recorded/session-reader.ts";
import { readSideFile } from "../recorded/side-file.ts";
import { CLINE, type ClineSession, ClineTranslator } from "./translate.ts";

export const clineReader: SessionReader = {
	kind: CLINE,
	name: "Cline",
	looksFor: "a JSON file with sessionId, agent and messages",
	ofWhole(value, text, file) {
		const isOurs = asName(value["sessionId"]) !== undefined && asName(value["agent"]) !== undefined;
		const cut = isOurs ? sliceList(text, "messages") : undefined;
		if (!cut) return undefined;
		const of = sessionOf(value, file);
		const translator = new ClineTranslator(of);
		return {
			session: of.session,
			cwd: of.cwd,
			open: () => (record, raw) => translator.translate(record, raw),
			records: () => [cut.rest, ...cut.elements].map((text) => ({ text })),
		};
	},
	places: (env, home) => [
		{
			path: join(env["CLINE_DIR"] || join(home, ".cline"), "data", "sessions"),
			holds: (path) => path.endsWith(".messages.json"),
		},
	],
};

function sessionOf(value: JsonObject, file: SourceFile): ClineSession {
	const origin = asObject(value["origin"]);
	const id = asName(value["sessionId"]) ?? file.name;
	const parent = asName(origin?.["parentThreadId"]);
	const agent = asName(origin?.["subagent"]) ?? id;
	return {
		session: parent === undefined ? id : `${parent}/${agent}`,
		parent,
		cwd: cwdBeside(file, parent ?? id) ?? cwdBeside(file, basename(dirname(file.path))),
		version: asName(origin?.["version"]),
	};
}

/** `<session>.json`, next to the messages, names the folder. */
function cwdBeside(file: SourceFile, session: string): string | undefined {
	const facts = parseObject(readSideFile(dirname(file.path), `${session}.json`));
	return asName(facts?.["cwd"]) ?? asName(asList(facts?.["workspace_roots"])[0]);
}
