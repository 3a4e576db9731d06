/**
 * The one place that starts git, so that git starts nothing else. A repository's own settings can name programs for much of
 * what git does by itself: filters, watchers, hooks, signatures, remotes that have a missing object. The user did not choose
 * these, and an archive or a shared disk brings them along.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { devNull } from "node:os";

export interface GitRun {
	readonly maxBuffer: number;
	readonly timeout?: number | undefined;
	readonly input?: string | undefined;
	/** No file of the work tree is read, and none is written, so filters have no say. */
	readonly isWithoutFiles?: boolean | undefined;
}

/** Git takes these before what a repository says. */
const SETTINGS = {
	"core.fsmonitor": "false",
	"core.hooksPath": devNull,
	"log.showSignature": "false",
	"submodule.recurse": "false",
	// A folder inside a clone can look like a repository without a work tree.
	"safe.bareRepository": "explicit",
};

const OVERRIDES = ["--no-pager", ...Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`])];

const FILTER_KEY = /^filter\.(.*)\.(?:clean|smudge|process|required)$/s;
const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;
const MAX_FILTERS = 500;
const SETTINGS_TIMEOUT_MS = 5_000;

/** What git printed. Undefined: it failed, or printed too much. No filter runs: contents are as git has them. */
export function runGit(cwd: string, args: readonly string[], options: GitRun, place: readonly string[] = []) {
	const filters = options.isWithoutFiles ? [] : namedFilters(cwd, place);
	if (filters === undefined) return undefined;
	const run = runOnce(cwd, [...place, ...args], options, withoutFilters(filters));
	return run.status === 0 ? run.stdout : undefined;
}

/** For commands that read no file of the work tree, which are those without filters. */
export function startGit(cwd: string, args: readonly string[], signal: AbortSignal | undefined): ChildProcess {
	return spawn("git", [...OVERRIDES, ...args], {
		cwd,
		env: gitEnvironment(),
		stdio: ["ignore", "pipe", "ignore"],
		windowsHide: true,
		signal,
	});
}

/**
 * Names of the filters that the settings have programs for. Undefined: git does not tell, so it is not asked anything else.
 * `place`: options that lead to the repository, if it is not that of `cwd`.
 */
export function namedFilters(cwd: string, place: readonly string[] = []): readonly string[] | undefined {
	const limits = { maxBuffer: MAX_SETTINGS_BYTES, timeout: SETTINGS_TIMEOUT_MS };
	const run = runOnce(cwd, [...place, "config", "--list", "--name-only", "-z"], limits, gitEnvironment());
	if (run.status !== 0) return undefined;
	const text = run.stdout.toString("utf8");
	// A name in another encoding cannot be overridden by its text.
	if (!Buffer.from(text).equals(run.stdout)) return undefined;
	const filters = [...new Set(text.split("\0").flatMap((name) => FILTER_KEY.exec(name)?.[1] ?? []))];
	return filters.length > MAX_FILTERS ? undefined : filters;
}

function runOnce(cwd: string, args: readonly string[], { input, maxBuffer, timeout }: GitRun, env: NodeJS.ProcessEnv) {
	return spawnSync("git", [...OVERRIDES, ...args], {
		maxBuffer,
		timeout,
		cwd,
		env,
		...(input === undefined ? { stdio: ["ignore", "pipe", "ignore"] } : { input, stdio: ["pipe", "pipe", "ignore"] }),
		windowsHide: true,
	});
}

/** Where the user's own settings are. All others lead to another repository, name programs, or files that git writes. */
const KEPT_VARIABLE =
	/^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)$/;

function gitEnvironment(): NodeJS.ProcessEnv {
	const own = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_") || KEPT_VARIABLE.test(name));
	return {
		...Object.fromEntries(own),
		GIT_OPTIONAL_LOCKS: "0",
		// A repository can say that a remote has what is missing, and name a program that asks it.
		GIT_NO_LAZY_FETCH: "1",
		GIT_ALLOW_PROTOCOL: "none",
		LC_ALL: "C",
	};
}

/** As variables, because a name may contain what ends one in an option. */
function withoutFilters(filters: readonly string[]): NodeJS.ProcessEnv {
	const env = gitEnvironment();
	const isCount = /^\d{1,4}$/.test(env["GIT_CONFIG_COUNT"] ?? "");
	let count = isCount ? Number(env["GIT_CONFIG_COUNT"]) : 0;
	const set = (key: string, value: string) => {
		env[`GIT_CONFIG_KEY_${count}`] = key;
		env[`GIT_CONFIG_VALUE_${count++}`] = value;
	};
	for (const name of filters) {
		for (const part of ["clean", "smudge", "process"]) set(`filter.${name}.${part}`, "");
		set(`filter.${name}.required`, "false");
	}
	return count === 0 ? env : { ...env, GIT_CONFIG_COUNT: String(count) };
}
