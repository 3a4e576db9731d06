/** Folders that may hold skills for an agent in a project: the agent's own, the project's, those shared by agents. */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";

const FILE = "SKILL.md";
const MAX_DEPTH = 3;

export interface SkillPlaces {
	readonly cwd: string;
	readonly root: string;
	/** The user's home. */
	readonly userHome: string;
	/** Pi's folder, if it is not the default. */
	readonly agentDir?: string | undefined;
}

export function skillFolders({ cwd, root, userHome, agentDir }: SkillPlaces): readonly string[] {
	const shared: string[] = [];
	for (let at = cwd; ; at = dirname(at)) {
		shared.push(join(at, ".agents/skills"));
		if (at === root || at === dirname(at)) break;
	}
	return [
		join(root, ".pi/skills"),
		join(root, ".claude/skills"),
		...shared,
		join(agentDir ?? join(userHome, ".pi/agent"), "skills"),
		join(userHome, ".claude/skills"),
		join(userHome, ".agents/skills"),
	];
}

/** In the order of the folders, each once. Reads none of them. */
export function skillFiles(folders: readonly string[]): readonly string[] {
	return [...new Set(folders.flatMap((folder) => [...filesIn(folder, MAX_DEPTH)]))];
}

function* filesIn(folder: string, depth: number): Generator<string> {
	const entries = namesIn(folder);
	if (entries.some(({ name }) => name === FILE)) yield join(folder, FILE);
	else if (depth > 0) {
		for (const entry of entries) {
			if (!entry.isDirectory() && !entry.isSymbolicLink()) continue;
			if (!entry.name.startsWith(".") && entry.name !== "node_modules")
				yield* filesIn(join(folder, entry.name), depth - 1);
		}
	}
}

function namesIn(folder: string) {
	try {
		return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
	} catch {
		return [];
	}
}
