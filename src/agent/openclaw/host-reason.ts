/**
 * Why the host fell back to its own engine, in its own words. They are only in its log file: one line of JSON each, one file
 * a day, in its own folder unless its settings name another.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPiece } from "../../base/file/regular-file.ts";
import { parseObject } from "../../base/json/read.ts";
import { cutStart } from "../../base/text/cut.ts";
import { wordsInLine } from "../../message/enclosure.ts";
import type { HostConfig } from "./plugin-api.ts";

/** How much to read from the end of the log. */
const MAX_BYTES = 512 * 1024;
const MAX_CHARS = 300;
/** Each captures the reason. */
const FALLBACK_LINES = [
	/\[context-engine\] Context engine "weft" degraded to "[^"]*" for this logical turn: (.+?)\. The "/,
	/\[context-engine\] Context engine "weft"[^:]* failed during ([^;]+);/,
];

/** Undefined: the log cannot be read, or has no such line since then. */
export function hostReason(config: HostConfig | undefined, since: number, now: number): string | undefined {
	const date = new Date(now);
	const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
	const name = `openclaw-${day.join("-")}.log`;
	const named = config?.logging?.file;
	const own = `openclaw-${process.getuid?.() ?? ""}`;
	const paths = named === undefined ? [join("/tmp/openclaw", name), join(tmpdir(), own, name)] : [named];
	for (const path of paths) {
		const lines = readPiece(path, -MAX_BYTES, MAX_BYTES).toString("utf8").split("\n").reverse();
		for (const line of lines) {
			const reason = line.includes("[context-engine]") ? reasonIn(line, since) : undefined;
			if (reason !== undefined) return reason;
		}
	}
	return undefined;
}

function reasonIn(line: string, since: number): string | undefined {
	const { message, time } = parseObject(line) ?? {};
	if (typeof message !== "string" || Date.parse(String(time)) < since) return undefined;
	const found = FALLBACK_LINES.map((form) => form.exec(message)?.[1]).find((reason) => reason !== undefined);
	return found === undefined ? undefined : cutStart(wordsInLine(found), MAX_CHARS);
}
