/** The files of a work tree that git does not hold: changed since HEAD, untracked or ignored. One bounded call of git. */
import { spawnSync } from "node:child_process";

export interface WorkTree {
	/** Commit; null: there is none yet. */
	readonly head: string | null;
	readonly entries: readonly WorkTreeEntry[];
}

export interface WorkTreeEntry {
	/** Relative to the work tree's root. Ends with `/`: a folder that git does not look into. */
	readonly path: string;
	readonly kind: "changed" | "untracked" | "ignored" | "submodule";
}

const MAX_LIST_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 5_000;

/** `root`: the folder with `.git`. Undefined: git gave no answer, or one that is too long. */
export function readWorkTree(root: string): WorkTree | undefined {
	const args = ["status", "--porcelain=v2", "-z", "--branch", "--no-renames", "--no-ahead-behind"];
	const lists = ["--untracked-files=all", "--ignored=matching", "--ignore-submodules=none"];
	// A repository may name a program to watch its files: do not start it.
	const run = spawnSync("git", ["-c", "core.fsmonitor=false", ...args, ...lists], {
		cwd: root,
		env: gitEnvironment(),
		stdio: ["ignore", "pipe", "ignore"],
		maxBuffer: MAX_LIST_BYTES,
		timeout: TIMEOUT_MS,
		windowsHide: true,
	});
	// Names that are not UTF-8 could not be opened again by their text.
	return run.status === 0 ? parseStatus(run.stdout.toString("utf8")) : undefined;
}

/** Variables of an outer git, as in a hook, would lead to another repository. */
export function gitEnvironment(): NodeJS.ProcessEnv {
	const own = Object.entries(process.env).filter(([name]) => !/^GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX)$/.test(name));
	return { ...Object.fromEntries(own), GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" };
}

/** Words before the path, by the entry's first character. */
const FIELDS: Readonly<Record<string, number>> = { "1": 8, u: 10 };

function parseStatus(text: string): WorkTree {
	let head: string | null = null;
	const entries: WorkTreeEntry[] = [];
	for (const line of text.split("\0")) {
		if (line.startsWith("# branch.oid ")) head = /^[0-9a-f]{40,64}$/.exec(line.slice(13))?.[0] ?? null;
		else if (line.startsWith("? ")) entries.push({ path: line.slice(2), kind: "untracked" });
		else if (line.startsWith("! ")) entries.push({ path: line.slice(2), kind: "ignored" });
		else {
			const words = FIELDS[line.charAt(0)];
			const fields = words === undefined ? [] : line.split(" ");
			const path = words === undefined ? "" : fields.slice(words).join(" ");
			if (path !== "") entries.push({ path, kind: fields[2]?.startsWith("S") ? "submodule" : "changed" });
		}
	}
	return { head, entries };
}
