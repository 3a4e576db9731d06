import { join } from "node:path";
import { asName, asObject, type JsonObject } from "../../base/json/read.ts";
import type { FoundSession, KnownEvents, SessionReader, Translate } from "../recorded/session-reader.ts";
import { matchMigrated } from "./migrated-entries.ts";
import { PI_HOST, PiTranslator } from "./translate.ts";

export const piReader: SessionReader = {
	kind: PI_HOST,
	name: "Pi",
	shortensResults: true,
	resumesFromEntries: true,
	looksFor: "a first line of type session with an id",
	ofLines(lines, file, isAll) {
		const header = lines.find((line) => line !== undefined && isHeader(line));
		if (header) return found(header);
		// Without a header, the file's name ends with the session's id.
		const isHeadless = isAll && lines.some((line) => line !== undefined && isEntry(line));
		return isHeadless
			? found({ type: "session", id: file.name.replace(/\.jsonl$/, "").replace(/^.*_/, "") })
			: undefined;
	},
	places: (env, home) => [{ path: join(env["PI_CODING_AGENT_DIR"] || join(home, ".pi", "agent"), "sessions") }],
};

function found(header: JsonObject): FoundSession {
	return {
		session: new PiTranslator(header).session,
		cwd: asName(header["cwd"]),
		open: (log, flush) => translatePi(header, log, flush),
	};
}

function translatePi(header: JsonObject, log: KnownEvents, flush: () => void): Translate {
	const open = (of: JsonObject) => {
		const session = new PiTranslator(of).session;
		const known = matchMigrated(log, of, session);
		return new PiTranslator(of, { known });
	};
	let translator = open(header);
	return (entry, text, line) => {
		// Two sessions in one file: the second header starts the second.
		if (entry["type"] === "session" && asName(entry["id"]) && entry["id"] !== translator.session) {
			flush();
			translator = open(entry);
		}
		return translator.translate(entry, text, translator.version < 2 ? `v1:${line}` : `line:${line}`);
	};
}

function isHeader(line: JsonObject): boolean {
	return line["type"] === "session" && asName(line["id"]) !== undefined;
}

function isEntry(line: JsonObject): boolean {
	if (asName(line["type"]) === undefined || asName(line["timestamp"]) === undefined) return false;
	const isMessage = line["type"] === "message" && asName(asObject(line["message"])?.["role"]) !== undefined;
	return isMessage || (asName(line["id"]) !== undefined && "parentId" in line);
}
