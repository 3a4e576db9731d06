/** Programs of the user's, as a shell would find them. */
import { execFileSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The first on the PATH; undefined: there is none. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
	const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
	return folders.map((folder) => join(folder, name)).find(isExecutable);
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
