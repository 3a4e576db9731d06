import { basename, dirname, join } from "node:path";
import { asName, asObject } from "../../base/json/read.ts";
import type { SessionReader } from "../recorded/session-reader.ts";
import { COPILOT, CopilotTranslator } from "./translate.ts";

export const copilotReader: SessionReader = {
	kind: COPILOT,
	name: "GitHub Copilot CLI",
	looksFor: "a first line of type session.start",
	ofLines(lines, file) {
		const first = lines.find((line) => line !== undefined);
		const data = first?.["type"] === "session.start" ? asObject(first["data"]) : undefined;
		if (!data) return undefined;
		const session = asName(data["sessionId"]) ?? basename(dirname(file.path));
		const translator = new CopilotTranslator(session);
		const cwd = asName(asObject(data["context"])?.["cwd"]);
		return { session, cwd, open: () => (value, text) => translator.translate(value, text) };
	},
	places: (env, home) => [
		{
			path: join(env["COPILOT_HOME"] || join(home, ".copilot"), "session-state"),
			holds: (path) => /(?:^|\/)events\.jsonl$/.test(path),
		},
	],
};
