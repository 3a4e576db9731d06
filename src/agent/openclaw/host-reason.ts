/**
 * Why the host went past us, in its own words. It tells nobody but its log file: a line of JSON for each, one file a day,
 * in a folder of its own unless its settings say otherwise.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asObject } from "../../base/json/read.ts";
import { wordsInLine } from "../../message/enclosure.ts";
import type { HostConfig } from "./plugin-api.ts";

/** What the end of the log may hold. */
const MAX_BYTES = 512 * 1024;
const MAX_CHARS = 300;
/** The engine's name, and what the host has against it. */
const SAID = [
	/\[context-engine\] Context engine "weft" degraded to "[^"]*" for this logical turn: (.+?)\. The "/,
	/\[context-engine\] Context engine "weft"[^:]* failed during ([^;]+);/,
];

/** Undefined: the log cannot be read, or says nothing of it since then. */
export function hostReason(config: HostConfig | undefined, since: number, now: number): string | undefined {
	const date = new Date(now);
	const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
	const name = `openclaw-${day.join("-")}.log`;
	const named = config?.logging?.file;
	const own = `openclaw-${process.getuid?.() ?? ""}`;
	const paths = named === undefined ? [join("/tmp/openclaw", name), join(tmpdir(), own, name)] : [named];
	for (const path of paths) {
		const lines = readEnd(path).split("\n").reverse();
		for (const line of lines) {
			const reason = line.includes("[context-engine]") ? reasonIn(line, since) : undefined;
			if (reason !== undefined) return reason;
		}
	}
	return undefined;
}

function reasonIn(line: string, since: number): string | undefined {
	const { message, time } = parse(line) ?? {};
	if (typeof message !== "string" || Date.parse(String(time)) < since) return undefined;
	const found = SAID.map((form) => form.exec(message)?.[1]).find((reason) => reason !== undefined);
	return found === undefined ? undefined : wordsInLine(found).slice(0, MAX_CHARS);
}

function parse(line: string): ReturnType<typeof asObject> {
	try {
		return asObject(JSON.parse(line));
	} catch {
		return undefined;
	}
}

/** The end of a file; nothing where it cannot be read. */
function readEnd(path: string): string {
	try {
		const file = openSync(path, "r");
		try {
			const { size } = fstatSync(file);
			const length = Math.min(size, MAX_BYTES);
			const bytes = Buffer.alloc(length);
			return bytes.toString("utf8", 0, readSync(file, bytes, 0, length, size - length));
		} finally {
			closeSync(file);
		}
	} catch {
		return "";
	}
}
