/** Finds the user's programs as a shell would, and asks for their versions. */
import { execFileSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { readPiece } from "../../base/file/regular-file.ts";
import type { Finding, FoundAgent } from "./contract.ts";

/** The first on the PATH that is not our launcher, or the one that the launcher names. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
	const named = env[programVariable(name)];
	if (named !== undefined && isExecutable(named)) return named;
	const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
	return folders.map((folder) => join(folder, name)).find((path) => isExecutable(path) && !isLauncher(path));
}

/** `folder`: the agent's settings. */
export function findAgent(name: string, env: NodeJS.ProcessEnv, folder: string): FoundAgent | undefined {
	const program = findProgram(name, env);
	if (program === undefined) return undefined;
	let asked: { readonly version: string | undefined } | undefined;
	return {
		program,
		folder,
		// Asked for on first use: starting an agent for its version takes a tenth of a second.
		get version() {
			asked ??= { version: versionOf(program, env) };
			return asked.version;
		},
	};
}

/** `untested`: what happens with a version that we have not tested. */
export function versionFinding(
	name: string,
	{ version }: FoundAgent,
	tested: readonly string[],
	untested: string,
): Finding {
	if (version === undefined)
		return { level: "warn", says: "does not report its version", todo: `Run '${name} --version'.` };
	if (tested.includes(version)) return { level: "ok", says: version };
	const todo = `weft was tested with ${tested.join(", ")}. ${untested}`;
	return { level: "warn", says: `${version}, which weft was not tested with`, todo };
}

/** The first bytes of our launcher, so that it is not taken for the agent. */
export const LAUNCHER_HEAD = "#!/bin/sh\n# weft: ";

function isLauncher(path: string): boolean {
	return readPiece(path, 0, LAUNCHER_HEAD.length).toString("latin1") === LAUNCHER_HEAD;
}

/** The launcher sets this variable to the real program: on the PATH `weft run` would find the launcher again. */
export function programVariable(name: string): string {
	return `WEFT_PROGRAM_${name.toUpperCase()}`;
}

const ANSWER_MS = 20_000;

/** The version in the output of `--version`. */
function versionOf(program: string, env: NodeJS.ProcessEnv): string | undefined {
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
