/** Runs weft's command line in its own process, for work that must not run inside an agent. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { basename, resolve } from "node:path";
import { ownModule } from "../../base/file/package-file.ts";
import type { Engine } from "../../engine.ts";

/** Agents may be standalone executables; weft's command line needs Node. */
export const NODE_PROGRAM = /^node/.test(basename(process.execPath)) ? process.execPath : "node";

/**
 * Starts a command for the engine's project. The process does not keep the caller alive, and has low priority unless
 * `isUrgent`. Undefined: this copy of weft has no command line.
 */
export function startCommand(
	{ project, log, settings }: Engine,
	words: readonly string[],
	env: NodeJS.ProcessEnv,
	{ isUrgent = false, ...options }: Pick<SpawnOptions, "stdio" | "detached"> & { readonly isUrgent?: boolean },
): ChildProcess | undefined {
	const program = ownModule("show/cli/main");
	if (program === undefined) return undefined;
	const home = resolve(log.folder, "..", "..");
	const name = settings["fleet.project"];
	const ours = name === null ? env : { ...env, WEFT_FLEET_PROJECT: name };
	const args = [program, ...words, "--project", project.root, "--home", home];
	const child = spawn(NODE_PROGRAM, args, { ...options, env: ours, cwd: project.root });
	child.on("error", () => {});
	child.unref();
	try {
		if (child.pid !== undefined && !isUrgent) setPriority(child.pid, constants.priority.PRIORITY_LOW);
	} catch {
		// The process has ended already, or the system refuses.
	}
	return child;
}
