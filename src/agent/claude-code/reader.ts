import { join } from "node:path";
import { asName, asObject, type JsonObject } from "../../base/json/read.ts";
import type { SessionReader } from "../recorded/session-reader.ts";
import { SideFiles } from "./side-files.ts";
import { CLAUDE_CODE_HOST, ClaudeCodeTranslator } from "./translate.ts";

export const claudeCodeReader: SessionReader = {
	kind: CLAUDE_CODE_HOST,
	name: "Claude Code",
	recordsRequests: true,
	looksFor: "lines with uuid, parentUuid and sessionId",
	ofLines(lines, file, isAll) {
		let [session, cwd]: (string | undefined)[] = [];
		let isOurs = false;
		for (const line of lines) {
			if (!line) continue;
			isOurs ||= isClaudeCode(line);
			session ??= asName(line["sessionId"]);
			cwd ??= asName(line["cwd"]);
		}
		if (!isOurs || (!isAll && (session === undefined || cwd === undefined))) return undefined;
		const name = file.name.replace(/\.jsonl$/, "");
		const of = { session: session ?? name, agent: agentOf(file.name), sides: new SideFiles(file.path) };
		return {
			session: of.session,
			cwd,
			open: (log) => {
				const putBlob = log.putBlob?.bind(log);
				const translator = new ClaudeCodeTranslator({ ...of, putBlob });
				return (entry, text) => translator.translate(entry, text);
			},
		};
	},
	places: (env, home) => [
		{
			path: join(env["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), "projects"),
			holds: (path) => path.endsWith(".jsonl"),
		},
	],
};

/** `agent-<id>.jsonl` is the side chain of an agent. */
function agentOf(fileName: string): string | undefined {
	return /^agent-(.+)\.jsonl$/.exec(fileName)?.[1];
}

/** Lines that may come before the first that names the session. */
const EARLY_LINES = new Set(["summary", "file-history-snapshot", "queue-operation", "custom-title", "ai-title"]);
const EARLY_KEYS = ["leafUuid", "messageId", "sessionId"];

function isClaudeCode(line: JsonObject): boolean {
	const type = asName(line["type"]);
	if (type === undefined || isOfRelative(line)) return false;
	if (asName(line["uuid"]) !== undefined && "parentUuid" in line) return true;
	return EARLY_LINES.has(type) && EARLY_KEYS.some((key) => asName(line[key]) !== undefined);
}

/** Qwen Code writes the same tree, with Gemini's messages in it. */
function isOfRelative(line: JsonObject): boolean {
	if (line["provenance"] !== undefined || line["systemPayload"] !== undefined) return true;
	return asObject(line["message"])?.["parts"] !== undefined;
}
