/** A program in the foreground, with the terminal, until the person ends it. */
import { spawn } from "node:child_process";
import { EXIT, type ExitCode } from "./exit.ts";

export async function runInForeground(
	file: string,
	args: readonly string[],
	place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<ExitCode> {
	const child = spawn(file, args, { ...place, stdio: "inherit" });
	// Ctrl-C is for the program; we wait for what it makes of it.
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
