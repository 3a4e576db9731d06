/** Reads a commit with git: its subject, time and diff. */
import { EngineError } from "../base/error/engine-error.ts";
import { git } from "../base/git/run.ts";
import type { CommitText } from "./commit-makers.ts";

export interface NamedCommit extends CommitText {
	readonly commit: string;
	readonly ts: number;
}

const MAX_DIFF_CHARS = 400_000;
const FORMAT = "%H%n%at%n%s";

/** A name that only a commit can have; `HEAD~2` and hashes. A file is meant by everything else. */
export function mayBeCommit(name: string): boolean {
	return /^(?:[0-9a-f]{7,64}|HEAD(?:[~^][\d~^]*)?)$/i.test(name);
}

/** Throws `not-found` where the repository has no such commit. */
export async function readCommit(root: string, name: string): Promise<NamedCommit> {
	let text = "";
	const args = ["show", "--no-color", "--no-ext-diff", "--no-textconv", "--unified=1", `--format=${FORMAT}`];
	const isWell = await git(root, [...args, "--end-of-options", name], {}, (chunk) => {
		if (text.length < MAX_DIFF_CHARS) text += chunk;
	});
	const [commit = "", at = "", subject = "", ...diff] = text.split("\n");
	if (!isWell || !/^[0-9a-f]{40,64}$/.test(commit)) {
		throw new EngineError("not-found", `There is no commit '${name.slice(0, 80)}' in ${root}.`);
	}
	return { commit, subject, ts: Number(at) * 1_000 + 999, diff: diff.join("\n") };
}
