/** The skills of an agent in this project, and the mistakes in their headers. */

import { oneLine } from "../base/text/printable.ts";
import { wrapWords } from "../base/text/wrap.ts";
import { findSkills } from "../state/memory/skill/installed-skills.ts";
import type { Skill, SkillProblem } from "../state/memory/skill/skill.ts";
import { type SkillPlaces, skillFolders } from "../state/memory/skill/skill-files.ts";
import type { TextStyle } from "./text-style.ts";

export interface SkillsView {
	readonly folders: readonly string[];
	readonly skills: readonly Skill[];
	readonly problems: readonly SkillProblem[];
	/** False: hooks do not run here. */
	readonly trusted: boolean;
}

export function viewSkills(places: SkillPlaces, trusted: boolean): SkillsView {
	const folders = skillFolders(places);
	return { folders, ...findSkills(folders), trusted };
}

export function* renderSkills({ skills, problems, folders, trusted }: SkillsView, style: TextStyle): Generator<string> {
	if (skills.length === 0) {
		yield "No skills. weft looks in:";
		for (const folder of folders) yield `  ${folder}`;
	} else {
		for (const skill of skills) yield* renderSkill(skill, style);
		if (!trusted && skills.some(({ hooks }) => Object.keys(hooks).length > 0)) {
			yield "Hooks do not run: this project is not trusted (in Pi /trust, elsewhere weft trust).";
		}
	}
	for (const { file, line, message } of problems) yield `${file}:${line}: ${message}. Ignored.`;
}

function* renderSkill(skill: Skill, style: TextStyle): Generator<string> {
	const { name, allowedTools, paths, hooks, memoryScope, whenToUse, description } = skill;
	const about = whenToUse ?? description;
	yield* wrapWords(`${style.paint("bold", oneLine(name))}${about === "" ? "" : `: ${oneLine(about)}`}`, style.columns);
	const facts = [
		["tools", allowedTools?.join(", ")],
		["files", paths.join(", ")],
		["hooks", Object.keys(hooks).join(", ")],
		["memory", memoryScope],
	] as const;
	for (const [title, value] of facts)
		if (value) yield* wrapWords(`  ${title.padEnd(7)} ${oneLine(value)}`, style.columns, " ".repeat(8));
}
