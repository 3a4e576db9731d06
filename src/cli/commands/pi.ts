/** Starts the user's own Pi with weft loaded. It runs in the foreground, with the terminal, until the person ends it. */
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { EngineError } from "../../error/engine-error.ts";
import { readBounded } from "../../file/regular.ts";
import { MAX_CONFIG_BYTES } from "../../settings/sources.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";

/** TypeScript, also where this file is compiled: Pi loads it as it is. */
const EXTENSION = join(import.meta.dirname, "..", "..", "..", "src", "hosts", "pi", "index.ts");
const PACKAGE = "weft-context";

export async function run(context: Context, args: readonly string[]): Promise<ExitCode> {
	const pi = findProgram("pi", context.env);
	if (pi === undefined) {
		throw new EngineError(
			"not-found",
			"There is no 'pi' on your PATH. 'npm install -g @earendil-works/pi-coding-agent' installs it.",
		);
	}
	// Installed as a package it is loaded already; twice would be one too many.
	const load = isInstalled(context.env) ? [] : ["-e", EXTENSION];
	const env = context.home === undefined ? context.env : { ...context.env, WEFT_HOME: context.home };
	const child = spawn(pi, [...load, ...args], { cwd: context.folder, env, stdio: "inherit" });
	// Ctrl-C is for Pi; we wait for what it makes of it.
	const ignore = (): void => {};
	process.on("SIGINT", ignore);
	try {
		return await new Promise((resolve, reject) => {
			child.once("error", reject);
			child.once("close", (code) => resolve(code === 0 ? EXIT.ok : EXIT.failed));
		});
	} finally {
		process.off("SIGINT", ignore);
	}
}

function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
	const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
	return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

function isInstalled(env: NodeJS.ProcessEnv): boolean {
	const folder = env["PI_CODING_AGENT_DIR"] || join(env["HOME"] || homedir(), ".pi", "agent");
	const reading = readBounded(join(folder, "settings.json"), MAX_CONFIG_BYTES);
	if (reading.kind !== "bytes") return false;
	try {
		const { packages } = JSON.parse(reading.bytes.toString("utf8")) as { packages?: unknown };
		return JSON.stringify(packages ?? []).includes(PACKAGE);
	} catch {
		return false;
	}
}
