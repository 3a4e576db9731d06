/** Folders that may hold skills for an agent in a project: the agent's own, the project's, those shared by agents. */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { readSkill, type Skill, type SkillProblem } from "./skill-reader.ts";

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

/** The skills that an agent in a project has. Apart from `skill-files.ts`, because it loads the YAML parser. */
const MAX_SKILLS = 500;

interface FoundSkills {
	/** Sorted by name. Of two with one name the first folder's counts. */
	readonly skills: readonly Skill[];
	readonly problems: readonly SkillProblem[];
}

export function findSkills(folders: readonly string[]): FoundSkills {
	return readSkills(skillFiles(folders));
}

export function readSkills(files: readonly string[]): FoundSkills {
	const skills = new Map<string, Skill>();
	const problems: SkillProblem[] = [];
	for (const file of files.slice(0, MAX_SKILLS)) {
		const reading = readSkill(file);
		problems.push(...reading.problems);
		if (reading.skill && !skills.has(reading.skill.name)) skills.set(reading.skill.name, reading.skill);
	}
	return { skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}
