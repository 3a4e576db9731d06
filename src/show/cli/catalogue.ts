/** Every command as data, in the order of the help. Help, suggestions, completion and the docs come from here. */
import { AGENTS } from "./catalogue/agents.ts";
import { FLEET } from "./catalogue/fleet.ts";
import { HISTORY } from "./catalogue/history.ts";
import { LOOK } from "./catalogue/look.ts";
import { MEMORY } from "./catalogue/memory.ts";
import { SELF } from "./catalogue/self.ts";
import type { CommandSpec } from "./catalogue/spec.ts";
import { UPKEEP } from "./catalogue/upkeep.ts";

export const COMMANDS: readonly CommandSpec[] = [
	...LOOK,
	...MEMORY,
	...FLEET,
	...HISTORY,
	...UPKEEP,
	...AGENTS,
	...SELF,
];
