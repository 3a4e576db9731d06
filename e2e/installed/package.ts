/** weft as a stranger gets it: packed from a copy of the repository's files, installed into an empty prefix. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

export interface InstalledWeft {
	readonly root: string;
	readonly tarball: string;
	/** The command. */
	readonly program: string;
	/** The package's own folder. */
	readonly folder: string;
	/** Finds this weft, and this Node for it. */
	readonly path: string;
	remove(): void;
}

/** Packed once: it builds everything. */
export function installPackage(): InstalledWeft {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "weft-installed-")));
	const [clone, packed, prefix] = ["clone", "packed", "prefix"].map((name) => join(root, name)) as [
		string,
		string,
		string,
	];
	for (const folder of [clone, packed, prefix]) mkdirSync(folder);
	const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
	for (const name of String(listed).split("\0").filter(Boolean)) {
		try {
			cpSync(join(ROOT, name), join(clone, name));
		} catch (error) {
			// Deleted, and not committed yet.
			if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
		}
	}
	symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
	npm(["pack", "--pack-destination", packed], clone);
	const tarball = join(packed, readdirSync(packed)[0]!);
	npm(["install", "--global", "--prefix", prefix, "--no-audit", "--no-fund", tarball], root);
	const program = join(prefix, "bin", "weft");
	return {
		root,
		tarball,
		program,
		folder: dirname(dirname(dirname(dirname(realpathSync(program))))),
		path: [dirname(program), dirname(process.execPath), process.env["PATH"]].join(delimiter),
		remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
	};
}

/** Packages that this machine has fetched before come from its cache. */
export const NPM_ENV: Readonly<Record<string, string>> = {
	npm_config_cache: process.env["npm_config_cache"] ?? join(homedir(), ".npm"),
	npm_config_userconfig: process.env["npm_config_userconfig"] ?? join(homedir(), ".npmrc"),
	npm_config_prefer_offline: "true",
	npm_config_update_notifier: "false",
};

function npm(args: readonly string[], cwd: string): void {
	execFileSync("npm", args, { cwd, env: { ...process.env, ...NPM_ENV }, stdio: ["ignore", "ignore", "inherit"] });
}
