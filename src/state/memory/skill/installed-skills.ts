/** The skills that an agent in a project has. Apart from `skill-files.ts`, because it loads the YAML parser. */

import type { Skill, SkillProblem } from "./skill.ts";
import { skillFiles } from "./skill-files.ts";
import { readSkill } from "./skill-reader.ts";

const MAX_SKILLS = 500;

export interface FoundSkills {
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
