/** The project of a scene in a real agent: what the agent reads, and a check that prints a log. */
import type { ProjectFiles } from "../workspace.ts";
import { checked, sourceOf } from "./long-session.ts";

const PARTS = 7;

export const SCENE_FILES: ProjectFiles = {
	...Object.fromEntries(Array.from({ length: PARTS }, (_, part) => [`src/part-${part}.ts`, `${sourceOf(part)}\n`])),
	...Object.fromEntries(Array.from({ length: PARTS }, (_, part) => [`logs/${part}.log`, `${checked(part)}\n`])),
	"check.sh": `echo "part $1"\ncat "logs/$(($1 % ${PARTS})).log"\n`,
};
