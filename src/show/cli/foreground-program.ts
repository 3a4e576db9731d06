/** Runs a program in the foreground, with the terminal, until the user ends it. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { ExitCode } from "./exit-code.ts";

/** Returns the program's own exit status; after a signal, the status that a shell would return. */
export async function runInForeground(
	file: string,
	args: readonly string[],
	place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<ExitCode> {
	const child = spawn(file, args, { ...place, stdio: "inherit" });
	// The program handles Ctrl-C itself, and weft waits. Ending weft, or closing the window, ends the program.
	const pass = (signal: NodeJS.Signals): void => {
		if (signal !== "SIGINT") child.kill(signal);
	};
	for (const signal of PASSED) process.on(signal, pass);
	try {
		return await new Promise((resolve, reject) => {
			child.once("error", reject);
			child.once("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGTERM"]));
		});
	} finally {
		for (const signal of PASSED) process.off(signal, pass);
	}
}

const PASSED = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
