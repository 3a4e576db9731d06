/** Runs git beside the caller, bounded in time and bytes. It is never asked to start programs that a repository names. */
import { spawn } from "node:child_process";

export interface GitOptions {
	readonly timeoutMs?: number | undefined;
	readonly signal?: AbortSignal | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** A million files of sixty characters; beyond it the list is cut and counted as far as it came. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;

/** True when git ran to its end, or as far as the bound on bytes allows. */
export function git(
	folder: string,
	args: readonly string[],
	options: GitOptions,
	onText: (chunk: string) => void,
): Promise<boolean> {
	return new Promise((resolve) => {
		// A repository may name a program to watch its files: it is not ours to start.
		const child = spawn("git", ["-c", "core.fsmonitor=false", ...args], {
			cwd: folder,
			env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" },
			stdio: ["ignore", "pipe", "ignore"],
			windowsHide: true,
			signal: options.signal,
		});
		const timer = setTimeout(() => child.kill(), options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
		let bytes = 0;
		let cut = false;
		child.stdout.setEncoding("utf8");
		child.stdout.on("data", (chunk: string) => {
			if (cut) return;
			bytes += chunk.length;
			onText(chunk);
			if (bytes < MAX_LIST_BYTES) return;
			cut = true;
			child.kill();
		});
		child.on("error", () => end(false));
		child.on("close", (code) => end(cut || code === 0));
		const end = (well: boolean) => {
			clearTimeout(timer);
			resolve(well);
		};
	});
}
