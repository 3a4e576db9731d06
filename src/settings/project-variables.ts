/**
 * Variables that a project's own .env files set. Some agents take them over from the folder in which they start and pass them
 * on to weft: they come with a clone, as the project's other settings do, and count only if the user trusts it.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readBounded, textOf } from "../base/file/regular-file.ts";

export interface ProjectVariables {
	/** The files that set some of them. */
	readonly files: readonly string[];
	/** The file of the project that sets the variable, which may have come from there. */
	fileOf(name: string): string | undefined;
}

const FILES = [
	".env",
	".env.local",
	".env.development",
	".env.development.local",
	".env.production",
	".env.production.local",
];
/** Of agents. */
const FOLDERS = ["", ".gemini", ".qwen"];
const MAX_BYTES = 1_000_000;
/** Those that decide what weft does, or where the user's own settings are. */
const OURS = /^(?:WEFT_|LCM_|XDG_CONFIG_HOME$|PI_CODING_AGENT_DIR$)/;
/** Those that are no setting, but name the user's folders or a fleet's server. */
const PLACES = /^(?:XDG_(?:CONFIG|DATA)_HOME|PI_CODING_AGENT_DIR|PG[A-Z]+)$/;
const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*[=:]/gm;
const NONE: ProjectVariables = { files: [], fileOf: () => undefined };

/** Without the variables that name a place of the user's and that the project's files set, also if the project is trusted. */
export function ownVariables(env: NodeJS.ProcessEnv, folders: readonly string[]): NodeJS.ProcessEnv {
	const { files, fileOf } = readProjectVariables(env, folders, PLACES);
	if (files.length === 0) return env;
	return Object.fromEntries(Object.entries(env).filter(([name]) => fileOf(name) === undefined));
}

export function readProjectVariables(
	env: NodeJS.ProcessEnv,
	folders: readonly string[],
	kind: RegExp = OURS,
): ProjectVariables {
	const given = Object.keys(env).filter((name) => kind.test(name));
	// Most often there is none, and no file is looked for.
	if (given.length === 0) return NONE;
	const setBy = new Map<string, string>();
	const paths = [...new Set(folders)].flatMap((root) =>
		FOLDERS.flatMap((folder) => FILES.map((file) => join(root, folder, file))),
	);
	const files = paths.filter((path) => {
		if (!existsSync(path)) return false;
		const reading = readBounded(path, MAX_BYTES);
		// One that cannot be read may set any.
		const text = textOf(reading);
		const set = text === undefined ? given : [...text.matchAll(ASSIGNMENT)].map(([, name = ""]) => name);
		const ours = set.filter((name) => given.includes(name));
		for (const name of ours) setBy.set(name, path);
		return ours.length > 0;
	});
	return { files, fileOf: (name) => setBy.get(name) };
}
