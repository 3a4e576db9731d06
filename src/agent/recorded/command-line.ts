/** Our own command line as a process of its own, for what must not run inside an agent. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { basename, resolve } from "node:path";
import { ownModule } from "../../base/file/package-file.ts";
import type { Engine } from "../../engine.ts";

/**
 * About the engine's project. It does not keep the caller alive. `isUrgent`: somebody waits for it; else it is of low priority.
 * Undefined: the program is not there.
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
	const node = /^node/.test(basename(process.execPath)) ? process.execPath : "node";
	const child = spawn(node, args, { ...options, env: ours, cwd: project.root });
	child.on("error", () => {});
	child.unref();
	try {
		if (child.pid !== undefined && !isUrgent) setPriority(child.pid, constants.priority.PRIORITY_LOW);
	} catch {
		// It ended already, or the system does not want it.
	}
	return child;
}
