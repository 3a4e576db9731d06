/** Summarises a repository as git lists it. Runs git in the background, bounded in time and bytes; null without git. */
import { type GitOptions, git } from "./run.ts";

export interface RepoMap {
	/** null: no commit yet. */
	readonly head: string | null;
	readonly files: number;
	/** First folders of the paths with how many files lie below them, most first; `.` is the root itself. */
	readonly folders: [string, number][];
	/** With the dot, in lower case, most first; files without one are left out. */
	readonly extensions: [string, number][];
}

const MAX_PATH_CHARS = 4_096;
const MAX_NAMED = 12;
/** Keeps odd repositories with many one-file folders from filling the memory. */
const MAX_COUNTED = 20_000;

export async function readRepoMap(folder: string, options: GitOptions = {}): Promise<RepoMap | null> {
	const counts = new PathCounts();
	const [listed, head] = await Promise.all([
		git(folder, ["ls-files", "-z"], options, (chunk) => counts.add(chunk)),
		readHead(folder, options),
	]);
	return listed ? { head, ...counts.result() } : null;
}

export async function readHead(folder: string, options: GitOptions = {}): Promise<string | null> {
	let text = "";
	const known = await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD"], options, (chunk) => {
		if (text.length < 200) text += chunk;
	});
	return known && /^[0-9a-f]{40,64}$/.test(text.trim()) ? text.trim() : null;
}

/** Counts the paths of a NUL-separated list, however it is split into chunks. */
class PathCounts {
	#files = 0;
	#rest = "";
	readonly #folders = new Map<string, number>();
	readonly #extensions = new Map<string, number>();

	add(chunk: string): void {
		const parts = (this.#rest + chunk).split("\0");
		this.#rest = (parts.pop() ?? "").slice(0, MAX_PATH_CHARS);
		for (const path of parts) if (path !== "") this.#count(path);
	}

	result(): Omit<RepoMap, "head"> {
		return { files: this.#files, folders: most(this.#folders), extensions: most(this.#extensions) };
	}

	#count(path: string): void {
		this.#files++;
		const slash = path.indexOf("/");
		bump(this.#folders, slash === -1 ? "." : path.slice(0, slash));
		const extension = /[^/](\.[^./]{1,20})$/.exec(path)?.[1];
		if (extension !== undefined) bump(this.#extensions, extension.toLowerCase());
	}
}

function bump(counts: Map<string, number>, name: string): void {
	const known = counts.get(name);
	if (known === undefined && counts.size >= MAX_COUNTED) return;
	counts.set(name, (known ?? 0) + 1);
}

function most(counts: ReadonlyMap<string, number>): [string, number][] {
	const order = ([name, count]: [string, number], [other, others]: [string, number]) =>
		others - count || (name < other ? -1 : 1);
	return [...counts].sort(order).slice(0, MAX_NAMED);
}
