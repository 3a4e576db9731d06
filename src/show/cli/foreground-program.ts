/** A program in the foreground, with the terminal, until the person ends it. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { ExitCode } from "./exit-code.ts";

/** Gives the program's own status; where a signal ended it, what a shell would give. */
export async function runInForeground(
	file: string,
	args: readonly string[],
	place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<ExitCode> {
	const child = spawn(file, args, { ...place, stdio: "inherit" });
	// Ctrl-C is for the program; we wait for what it makes of it. Who ends us, or closes the window, means the program.
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
