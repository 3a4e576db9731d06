/** Reads settings from all their places, strongest first. Everything that touches the environment or a file is here. */
import { existsSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { EngineError } from "../base/error/engine-error.ts";
import { writeAtomically, writeError } from "../base/file/atomic-write.ts";
import { readBounded, statOf } from "../base/file/regular-file.ts";
import { writeJson } from "../base/json/write.ts";
import { passwordFile, passwordLine, readAddress, splitPassword } from "./fleet-address.ts";
import { KEYS, type SettingKey } from "./keys.ts";
import { type ProjectVariables, readProjectVariables } from "./project-variables.ts";
import type { SettingProblem, Source } from "./resolve.ts";

export interface SettingPlaces {
	/** Options of the command line, by key. */
	readonly flags?: Readonly<Record<string, unknown>> | undefined;
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
	readonly projectRoot: string;
	/** False: the project's files are not read, because they could move the data elsewhere. */
	readonly trusted: boolean;
	readonly userHome: string;
}

/** A larger file is not a configuration. */
export const MAX_CONFIG_BYTES = 1_000_000;

export function readSources(places: SettingPlaces): {
	readonly sources: readonly Source[];
	readonly problems: readonly SettingProblem[];
	/** The project's own files, if it is not trusted. */
	readonly ignored: readonly string[];
} {
	const { projectRoot } = places;
	const variables = readProjectVariables(places.env, [projectRoot, places.cwd]);
	const env = Object.fromEntries(Object.entries(places.env).filter(([name]) => !variables.fileOf(name)));
	const problems: SettingProblem[] = [];
	const file = (path: string, pick: (content: unknown) => unknown = (content) => content): Source[] =>
		readSource(path, pick, problems);
	const own = [join(projectRoot, ".weft", "config.json"), join(projectRoot, ".pi", "warp-engine", "config.json")];
	const sources = [
		...flagSources(places),
		...["WEFT_", "LCM_"].flatMap((prefix) => environmentSources(prefix, places, variables)),
		...(places.trusted ? own.flatMap((path) => file(path)).map((source) => ({ ...source, isProjects: true })) : []),
		...file(userFile(env, places.userHome)),
		...file(join(env["PI_CODING_AGENT_DIR"] || join(places.userHome, ".pi", "agent"), "settings.json"), lcmKey),
	];
	const ofProject = [...own.filter((path) => existsSync(path)), ...variables.files];
	return { sources, problems, ignored: places.trusted ? [] : ofProject };
}

/** The user's own file. */
function userFile(env: NodeJS.ProcessEnv, userHome: string): string {
	return join(env["XDG_CONFIG_HOME"] || join(userHome, ".config"), "weft", "config.json");
}

function flagSources({ flags = {}, cwd }: SettingPlaces): Source[] {
	return Object.entries(flags)
		.filter(([, value]) => value !== undefined)
		.map(([key, value]) => ({ origin: key === "dbDir" ? "--home" : `--${key}`, base: cwd, values: { [key]: value } }));
}

/** One source per variable, so that a problem names the variable. An empty variable counts as unset. */
function environmentSources(
	prefix: string,
	{ env, cwd, trusted }: SettingPlaces,
	variables: ProjectVariables,
): Source[] {
	return Object.entries(KEYS).flatMap(([key, spec]) =>
		spec.env
			.filter((name) => name.startsWith(prefix) && env[name] && (trusted || !variables.fileOf(name)))
			.map((name) => ({
				...{ origin: variables.fileOf(name) ?? name, base: cwd, textual: true, values: { [key]: env[name] } },
				isProjects: variables.fileOf(name) !== undefined,
			})),
	);
}

function readSource(path: string, pick: (content: unknown) => unknown, problems: SettingProblem[]): Source[] {
	const reading = readBounded(path, MAX_CONFIG_BYTES);
	if (reading.kind === "absent") return [];
	if (reading.kind === "unreadable") {
		const message = `${path}: cannot be read (${reading.code}). Make it readable, or remove it.`;
		problems.push({ origin: path, message });
		return [];
	}
	try {
		if (reading.kind === "too-large") throw new Error("too large for a configuration");
		if (reading.kind === "odd") throw new Error(`it is ${reading.what}`);
		const values = pick(JSON.parse(reading.bytes.toString("utf8").replace(/^\ufeff/, "")));
		if (values === undefined) return [];
		if (typeof values !== "object" || values === null || Array.isArray(values)) throw new Error("not a JSON object");
		return [{ origin: path, base: dirname(path), values: values as Record<string, unknown> }];
	} catch (error) {
		problems.push({ origin: path, message: `${path}: ${(error as Error).message}. Correct it, or remove it.` });
		return [];
	}
}

function lcmKey(content: unknown): unknown {
	return typeof content === "object" && content !== null && Object.hasOwn(content, "lcm")
		? (content as { lcm: unknown }).lcm
		: undefined;
}

/** Writes a setting to the user's own file and keeps the others. Returns the file's path. */
export function writeSetting(env: NodeJS.ProcessEnv, key: SettingKey, value: unknown): string {
	const file = userFile(env, env["HOME"] || homedir());
	const text = writeJson({ ...readObject(file), [key]: value }, 2);
	try {
		mkdirSync(dirname(file), { recursive: true });
		writeAtomically(existsSync(file) ? realpathSync(file) : file, `${text}\n`, modeOf(file));
	} catch (cause) {
		throw writeError(cause, file);
	}
	return file;
}

/**
 * Moves the password of a fleet's address into weft's own file, which only the user can read: the settings are a file that
 * others may read. Without an address the file goes.
 */
export function keepPassword(
	env: NodeJS.ProcessEnv,
	given: unknown,
): { readonly value: unknown; readonly passwordFile: string | undefined } {
	const file = passwordFile(env);
	if (typeof given !== "string") {
		rmSync(file, { force: true });
		return { value: given, passwordFile: undefined };
	}
	const { url, password } = splitPassword(given);
	if (password === undefined) return { value: url, passwordFile: undefined };
	try {
		mkdirSync(dirname(file), { recursive: true });
		writeAtomically(file, `${passwordLine(readAddress(url, env), password)}\n`);
	} catch (cause) {
		if (cause instanceof EngineError) throw cause;
		throw writeError(cause, file);
	}
	return { value: url, passwordFile: file };
}

/** A new file has the mode that the user's programs give files. */
function modeOf(file: string): number {
	return (statOf(file)?.mode ?? 0o666 & ~process.umask()) & 0o777;
}

function readObject(file: string): object {
	const reading = readBounded(file, MAX_CONFIG_BYTES);
	if (reading.kind === "absent") return {};
	if (reading.kind === "unreadable") {
		const message = `${file} cannot be read (${reading.code}). Make it and its folder readable; nothing was written.`;
		throw new EngineError("bad-config", message);
	}
	try {
		const value: unknown = reading.kind === "bytes" && JSON.parse(reading.bytes.toString("utf8"));
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
	} catch {
		// Reported below.
	}
	throw new EngineError("bad-config", `${file} is not a JSON object. Correct it, or remove it; nothing was written.`);
}
