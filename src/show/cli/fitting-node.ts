/**
 * Runs weft by another Node where the first on the PATH is too old, as in a project on Node 20: agents start `weft` by its
 * name, with the PATH of the project. Everything here must run on the old Node too.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { nodeProblem } from "./node-process.ts";

const ANSWER_MS = 5_000;
/** Each is started once for its version. */
const MAX_TRIED = 12;

/** Resolves to its exit status. Undefined: there is no other Node that fits. */
export async function runByFittingNode(program: string, args: readonly string[]): Promise<number | undefined> {
	const node = nodeCandidates(program, process.env)
		.slice(0, MAX_TRIED)
		.find((path) => fits(path));
	if (node === undefined) return undefined;
	// The same standard streams: for the agent it is one process.
	const child = spawn(node, [program, ...args], { stdio: "inherit" });
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
	return new Promise((resolve) => {
		child.once("error", () => resolve(undefined));
		child.once("close", (code) => resolve(code ?? 1));
	});
}

/** The Node that weft was installed with first, then the others on the PATH, then those of version managers, newest first. */
export function nodeCandidates(program: string, env: NodeJS.ProcessEnv): string[] {
	const home = env["HOME"] || homedir();
	const onPath = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
	const kept = [
		[env["NVM_DIR"] || join(home, ".nvm"), "versions/node", "bin/node"],
		[env["FNM_DIR"] || join(home, ".local/share/fnm"), "node-versions", "installation/bin/node"],
		[env["VOLTA_HOME"] || join(home, ".volta"), "tools/image/node", "bin/node"],
		[env["ASDF_DATA_DIR"] || join(home, ".asdf"), "installs/nodejs", "bin/node"],
		[join(home, ".local/share/mise"), "installs/node", "bin/node"],
	] as const;
	const managed = kept.flatMap(([root, versions, node]) =>
		newestFirst(join(root, versions)).map((version) => join(root, versions, version, node)),
	);
	const all = [...installedWith(program), ...onPath.map((folder) => join(folder, "node")), ...managed];
	return [...new Set(all)].filter((path) => existsSync(path));
}

/** `PREFIX/lib/node_modules/weft-context/…` beside `PREFIX/bin/node`; a checkout has one among its packages. */
function installedWith(program: string): string[] {
	const path = realPath(program);
	const folders: string[] = [];
	for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
		if (/[\\/]lib[\\/]node_modules$/.test(at)) folders.push(join(dirname(dirname(at)), "bin/node"));
		folders.push(join(at, "node_modules/.bin/node"));
	}
	return folders;
}

function newestFirst(folder: string): string[] {
	try {
		const order = new Intl.Collator("en", { numeric: true });
		return readdirSync(folder).sort((one, other) => order.compare(other, one));
	} catch {
		return [];
	}
}

function fits(node: string): boolean {
	try {
		const said = execFileSync(node, ["--version"], {
			encoding: "utf8",
			timeout: ANSWER_MS,
			stdio: ["ignore", "pipe", "ignore"],
		});
		return nodeProblem(said.trim().replace(/^v/, "")) === undefined;
	} catch {
		return false;
	}
}

function realPath(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}
