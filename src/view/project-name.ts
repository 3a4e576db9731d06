/** Short names of projects for lists. */

/** A worktree's folder says little ("1", "fix-login"): its repository comes first. */
const WORKTREE = /[/\\](?:\.[\w-]+[/\\])?\.?worktrees[/\\]([^/\\]+)$/;

/** The last part of each path, with as many parts before it as make it unique. A worktree is named after its repository. */
export function projectNames(paths: readonly string[]): ReadonlyMap<string, string> {
	const all = [...new Set(paths)].map((path) => {
		const worktree = WORKTREE.exec(path);
		const repository = worktree ? path.slice(0, worktree.index) : path;
		return { path, repository, parts: repository.split(/[/\\]/), worktree: worktree?.[1] };
	});
	const end = (parts: readonly string[], count: number) => parts.slice(-count).join("/");
	const isShared = (repository: string, name: string, count: number) =>
		all.some((other) => other.repository !== repository && end(other.parts, count) === name);
	return new Map(
		all.map(({ path, repository, parts, worktree }) => {
			let count = 1;
			while (count < parts.length && isShared(repository, end(parts, count), count)) count++;
			const name = end(parts, count) || repository;
			return [path, worktree === undefined ? name : `${name} (worktree ${worktree})`];
		}),
	);
}
