/** Starts the user's own Pi with weft loaded. It runs in the foreground, with the terminal, until the person ends it. */
import { homedir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../../../agent/setup/find-program.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { ownPath } from "../../../base/file/package-file.ts";
import { readBounded } from "../../../base/file/regular-file.ts";
import { MAX_CONFIG_BYTES } from "../../../settings/sources.ts";
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit.ts";
import { runInForeground } from "../foreground.ts";

/** TypeScript, also where this file is compiled: Pi loads it as it is. */
const EXTENSION = ownPath("src", "agent", "pi", "index.ts");
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
	return runInForeground(pi, [...load, ...args], { cwd: context.folder, env });
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
