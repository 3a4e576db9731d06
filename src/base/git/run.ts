/** Runs git in the background, bounded in time and bytes, and never starts programs that a repository names. */
import { startGit } from "./start.ts";

export interface GitOptions {
	readonly timeoutMs?: number | undefined;
	readonly signal?: AbortSignal | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** A million files of sixty characters; a longer list is cut and counted so far. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;

/** True: git finished, or reached the limit on bytes. */
export function git(
	folder: string,
	args: readonly string[],
	options: GitOptions,
	onText: (chunk: string) => void,
): Promise<boolean> {
	return new Promise((resolve) => {
		const child = startGit(folder, args, options.signal);
		const timer = setTimeout(() => child.kill(), options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
		let bytes = 0;
		let cut = false;
		child.stdout?.setEncoding("utf8");
		child.stdout?.on("data", (chunk: string) => {
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
