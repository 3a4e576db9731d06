/** The places where settings stand, strongest first. Everything that touches the environment or a file is here. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { KEYS } from "./keys.ts";
import type { SettingProblem, Source } from "./resolve.ts";

export interface Places {
	/** What the command line said, by key. */
	readonly flags?: Readonly<Record<string, unknown>> | undefined;
	readonly env: NodeJS.ProcessEnv;
	readonly cwd: string;
	readonly projectRoot: string;
	/** Project files are read only when the user trusts the project: they could move the data elsewhere. */
	readonly trusted: boolean;
	readonly userHome: string;
}

/** The largest file that is taken for a configuration. */
const MAX_CONFIG_BYTES = 1_000_000;

export function readSources(places: Places): {
	readonly sources: readonly Source[];
	readonly problems: readonly SettingProblem[];
} {
	const { env, projectRoot } = places;
	const problems: SettingProblem[] = [];
	const file = (path: string, pick: (content: unknown) => unknown = (content) => content): Source[] =>
		readSource(path, pick, problems);
	const sources = [
		...flagSources(places),
		...environmentSources("WEFT_", places),
		...environmentSources("LCM_", places),
		...(places.trusted ? file(join(projectRoot, ".weft", "config.json")) : []),
		...(places.trusted ? file(join(projectRoot, ".pi", "warp-engine", "config.json")) : []),
		...file(userFile(env, places.userHome)),
		...file(join(env["PI_CODING_AGENT_DIR"] || join(places.userHome, ".pi", "agent"), "settings.json"), lcmKey),
	];
	return { sources, problems };
}

/** The user's own file. */
export function userFile(env: NodeJS.ProcessEnv, userHome: string): string {
	return join(env["XDG_CONFIG_HOME"] || join(userHome, ".config"), "weft", "config.json");
}

function flagSources({ flags = {}, cwd }: Places): Source[] {
	return Object.entries(flags)
		.filter(([, value]) => value !== undefined)
		.map(([key, value]) => ({ origin: key === "dbDir" ? "--home" : `--${key}`, base: cwd, values: { [key]: value } }));
}

/** One source per variable, so that a problem names the variable. An empty one counts as unset. */
function environmentSources(prefix: string, { env, cwd }: Places): Source[] {
	return Object.entries(KEYS).flatMap(([key, spec]) =>
		spec.env
			.filter((name) => name.startsWith(prefix) && env[name])
			.map((name) => ({ origin: name, base: cwd, textual: true, values: { [key]: env[name] } })),
	);
}

function readSource(path: string, pick: (content: unknown) => unknown, problems: SettingProblem[]): Source[] {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		const { code = "unreadable" } = error as { code?: string };
		if (code === "ENOENT" || code === "ENOTDIR") return [];
		problems.push({ origin: path, message: `${path}: cannot be read (${code}). Make it readable, or remove it.` });
		return [];
	}
	try {
		if (text.length > MAX_CONFIG_BYTES) throw new Error("too large for a configuration");
		const values = pick(JSON.parse(text.replace(/^\ufeff/, "")));
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
