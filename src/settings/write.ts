/** Writes a setting to the user's own file. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { EngineError } from "../base/error/engine-error.ts";
import { readBounded } from "../base/file/regular-file.ts";
import type { SettingKey } from "./keys.ts";
import { MAX_CONFIG_BYTES, userFile } from "./sources.ts";

/** Keeps the file's other settings. Returns its path. */
export function writeSetting(env: NodeJS.ProcessEnv, key: SettingKey, value: unknown): string {
	const file = userFile(env, env["HOME"] || homedir());
	const text = JSON.stringify({ ...readObject(file), [key]: value }, null, 2);
	mkdirSync(dirname(file), { recursive: true });
	const fresh = `${file}.${process.pid}.new`;
	writeFileSync(fresh, `${text}\n`);
	renameSync(fresh, file);
	return file;
}

function readObject(file: string): object {
	const reading = readBounded(file, MAX_CONFIG_BYTES);
	if (reading.kind === "absent") return {};
	try {
		const value: unknown = reading.kind === "bytes" && JSON.parse(reading.bytes.toString("utf8"));
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
	} catch {
		// Reported below.
	}
	throw new EngineError("bad-config", `${file} is not a JSON object. Correct it, or remove it; nothing was written.`);
}
