import { join } from "node:path";
import { asName, asObject, type JsonObject } from "../../json/read.ts";
import type { Reader } from "../reader.ts";
import { QWEN, QwenTranslator, qwenSession } from "./translate.ts";

export const qwenReader: Reader = {
	kind: QWEN,
	name: "Qwen Code",
	looksFor: "lines with uuid and sessionId, and message.parts or provenance",
	ofLines(lines, file) {
		const line = lines.find((each) => each !== undefined && isQwen(each));
		const of = line && qwenSession(line, /^agent-(.+)\.jsonl$/.exec(file.name)?.[1]);
		if (!line || !of) return undefined;
		const translator = new QwenTranslator(of);
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

function isQwen(line: JsonObject): boolean {
	if (asName(line["uuid"]) === undefined || !("parentUuid" in line) || asName(line["sessionId"]) === undefined)
		return false;
	return asObject(line["message"])?.["parts"] !== undefined || typeof line["provenance"] === "string";
}
