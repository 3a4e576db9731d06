import { basename, dirname, join } from "node:path";
import { asName, asObject, type JsonObject, parseObject } from "../../base/json/read.ts";
import type { SessionReader } from "../recorded/session-reader.ts";
import { readSideFile } from "../recorded/side-file.ts";
import { QWEN, QwenTranslator, qwenSession } from "./translate.ts";

export const qwenReader: SessionReader = {
	kind: QWEN,
	name: "Qwen Code",
	looksFor: "lines with uuid and sessionId, and message.parts, provenance or systemPayload",
	ofLines(lines, file) {
		const line = lines.find((each) => each !== undefined && isQwen(each));
		const of = line && qwenSession(line, /^agent-(.+)\.jsonl$/.exec(file.name)?.[1]);
		if (!line || !of) return undefined;
		const translator = new QwenTranslator({ ...of, model: modelBeside(file.path) });
		return {
			session: of.session,
			cwd: asName(line["cwd"]),
			open: () => (value, text) => translator.translate(value, text),
		};
	},
	places(env, home) {
		const root = env["QWEN_HOME"] || join(home, ".qwen");
		const holds = (path: string) => /(?:^|\/)(?:chats|subagents)\/.*\.jsonl$/.test(path);
		return [{ path: join(root, "projects"), holds }];
	},
};

/** A sub-agent's lines do not name the model; a file next to them does. */
function modelBeside(path: string): string | undefined {
	if (!path.endsWith(".jsonl")) return undefined;
	return asName(parseObject(readSideFile(dirname(path), `${basename(path, ".jsonl")}.meta.json`))?.["model"]);
}

function isQwen(line: JsonObject): boolean {
	if (asName(line["uuid"]) === undefined || !("parentUuid" in line) || asName(line["sessionId"]) === undefined)
		return false;
	// Older versions have no provenance, and their first line may be the program's own.
	if (typeof line["provenance"] === "string" || line["systemPayload"] !== undefined) return true;
	return asObject(line["message"])?.["parts"] !== undefined;
}
