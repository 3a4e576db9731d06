/** Programs of the user's, as a shell would find them. */
import { execFileSync } from "node:child_process";
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The first on the PATH, or the one that a launcher of ours stands before; undefined: there is none. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
	const named = env[programVariable(name)];
	if (named !== undefined && isExecutable(named)) return named;
	const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
	return folders.map((folder) => join(folder, name)).find((path) => isExecutable(path) && !isLauncher(path));
}

/** Begins a launcher of ours: it is not the agent. */
export const LAUNCHER_HEAD = "#!/bin/sh\n# weft: ";

function isLauncher(path: string): boolean {
	const file = openSync(path, "r");
	try {
		const head = Buffer.alloc(LAUNCHER_HEAD.length);
		readSync(file, head, 0, head.length, 0);
		return head.toString("latin1") === LAUNCHER_HEAD;
	} finally {
		closeSync(file);
	}
}

/** How a launcher tells `weft run` which program it stands before: on the PATH that one would find the launcher again. */
export function programVariable(name: string): string {
	return `WEFT_PROGRAM_${name.toUpperCase()}`;
}

const ANSWER_MS = 20_000;

/** The number in what a program says to `--version`; undefined: it says none. */
export function versionOf(program: string, env: NodeJS.ProcessEnv): string | undefined {
	try {
		const stdio = ["ignore", "pipe", "ignore"] as const;
		const said = execFileSync(program, ["--version"], { env, encoding: "utf8", timeout: ANSWER_MS, stdio: [...stdio] });
		return /\d+\.\d+\.\d+(?:[-+][\w.]+)?/.exec(said)?.[0];
	} catch {
		return undefined;
	}
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}
