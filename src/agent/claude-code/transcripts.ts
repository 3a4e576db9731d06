/** Finds Claude Code's transcripts: one file per session, and one for each of its sub-agents. */
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { namesIn, statOf } from "../../base/file/regular-file.ts";

/** The transcript of a session that started in any folder. Undefined: nothing is written yet. */
export function findTranscript(env: NodeJS.ProcessEnv, session: string): string | undefined {
	if (!/^[\w.-]+$/.test(session)) return undefined;
	const projects = join(env["CLAUDE_CONFIG_DIR"] || join(env["HOME"] || homedir(), ".claude"), "projects");
	return namesIn(projects)
		.map((folder) => join(projects, folder, `${session}.jsonl`))
		.find((path) => statOf(path)?.isFile());
}

/** The transcript and those of its sub-agents, the parent first. */
export function filesOf(transcript: string): string[] {
	const agents = join(transcript.replace(/\.jsonl$/, ""), "subagents");
	const names = namesIn(agents).filter((name) => name.endsWith(".jsonl"));
	return [transcript, ...names.sort().map((name) => join(agents, name))];
}

/** Other sessions that started in the same folder, with the time of their last line. */
export function siblingsOf(
	transcript: string,
): { readonly session: string; readonly path: string; readonly at: number }[] {
	const folder = dirname(transcript);
	return namesIn(folder).flatMap((name) => {
		const path = join(folder, name);
		const stat = name.endsWith(".jsonl") && path !== transcript ? statOf(path) : undefined;
		return stat?.isFile() ? [{ session: basename(name, ".jsonl"), path, at: stat.mtimeMs }] : [];
	});
}
