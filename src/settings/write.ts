/** Writes a setting into the user's own file. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { EngineError } from "../error/engine-error.ts";
import type { SettingKey } from "./keys.ts";
import { userFile } from "./sources.ts";

/** What else the file holds stays. Returns the path of the file. */
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
	let text: string;
	try {
		text = readFileSync(file, "utf8");
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return {};
		throw error;
	}
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
	} catch {
		// Said below.
	}
	throw new EngineError("bad-config", `${file} is not a JSON object. Correct it, or remove it; nothing was written.`);
}
