/** Skills as items for recall: by their `when_to_use`, and by the files that the message names. */
import { matchesGlob } from "node:path";
import type { RecallItem } from "../recall/item.ts";
import type { Skill } from "./skill.ts";

const PATH = /(?:^|[\s`"'(])((?:[\w@.-]+\/)*[\w@-]+\.\w{1,8})(?=$|[\s`"'),:;.?!])/g;
const MAX_PATHS = 20;

export function skillItems(skills: readonly Skill[], text: string): readonly RecallItem[] {
	const named = [...text.matchAll(PATH)].slice(0, MAX_PATHS).map(([, path = ""]) => path);
	return skills.flatMap((skill): RecallItem[] => {
		const fitting = named.filter((path) => skill.paths.some((glob) => fits(path, glob)));
		if (skill.whenToUse === undefined && fitting.length === 0) return [];
		const why = [skill.whenToUse, ...(fitting.length > 0 ? [`It is for files like ${fitting.join(", ")}.`] : [])];
		return [
			{
				id: `skill:${skill.name}`,
				text: `The skill ${skill.name} may fit: read ${skill.file}. ${why.filter((each) => each !== undefined).join(" ")}`,
				heading: "Skills",
				source: "workspace",
				kind: "preference",
			},
		];
	});
}

function fits(path: string, glob: string): boolean {
	try {
		return matchesGlob(path, glob) || (!glob.includes("/") && matchesGlob(path, `**/${glob}`));
	} catch {
		return false;
	}
}
