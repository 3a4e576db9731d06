/** A patch in a shell command: Codex handles `apply_patch <<'EOF' …` itself and starts no program of that name. */
import { posix } from "node:path";

export interface PatchCommand {
	/** `*** Begin Patch` to `*** End Patch` */
	readonly patch: string;
	/** The folder of a `cd` before it. */
	readonly folder?: string | undefined;
}

const HEREDOC =
	/^\s*(?:cd\s+(?:'([^'\n]+)'|"([^"\n$`]+)"|([^\s'"$`;&|]+))\s*&&\s*)?(?:apply_patch|applypatch)\s*<<-?\s*(['"]?)(\w+)\4\s*\n([\s\S]*?)\n\s*\5\s*$/;
const ARGUMENT = /^\s*(?:apply_patch|applypatch)\s+(?:'([^']*)'|"([^"$`\\]*)")\s*$/;

/** Undefined: it is another command. */
export function patchIn(command: string): PatchCommand | undefined {
	const here = HEREDOC.exec(command);
	const given = here
		? here[6]
		: ARGUMENT.exec(command)
				?.slice(1)
				.find((each) => each !== undefined);
	const patch = /\*\*\* Begin Patch\n[\s\S]*\*\*\* End Patch/.exec(given ?? "")?.[0];
	if (patch === undefined) return undefined;
	return { patch, folder: here?.[1] ?? here?.[2] ?? here?.[3] };
}

export function folderOf(cwd: string, { folder }: PatchCommand): string {
	return folder === undefined ? cwd : posix.resolve(cwd, folder);
}
