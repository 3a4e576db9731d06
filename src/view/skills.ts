/** The skills that an agent in this project has, and what is wrong in their heads. */
import { findSkills, type SkillPlaces, skillFolders } from "../skill/find.ts";
import type { Skill, SkillProblem } from "../skill/skill.ts";
import { renderRuled, type TextStyle } from "./style.ts";

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
		yield "No skills. They are looked for in:";
		for (const folder of folders) yield `  ${folder}`;
	} else {
		const columns = [
			{ title: "skill" },
			{ title: "tools" },
			{ title: "files" },
			{ title: "hooks" },
			{ title: "memory" },
			{ title: "when", shrink: true },
		] as const;
		const rows = skills.map(({ name, allowedTools, paths, hooks, memoryScope, whenToUse, description }) => [
			name,
			allowedTools?.join(" ") ?? "any",
			paths.join(" "),
			Object.keys(hooks).join(" "),
			memoryScope ?? "",
			whenToUse ?? description,
		]);
		yield* renderRuled(style, columns, rows);
		if (!trusted && skills.some(({ hooks }) => Object.keys(hooks).length > 0)) {
			yield "Hooks do not run: this project is not trusted (in Pi /trust, elsewhere weft trust).";
		}
	}
	for (const { file, line, message } of problems) yield `${file}:${line}: ${message}. This is ignored.`;
}
