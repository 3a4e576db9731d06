/** Every command as data, in the order of the help. Help, suggestions, completion, option types and the docs come from here. */
import { CHANGE } from "./catalogue/change.ts";
import { COST } from "./catalogue/cost.ts";
import { FLEET } from "./catalogue/fleet.ts";
import { FIND, LOOK } from "./catalogue/look.ts";
import { MEMORY } from "./catalogue/memory.ts";
import { SET_UP } from "./catalogue/set-up.ts";
import type { CommandGroup, CommandSpec } from "./catalogue/spec.ts";

const CATALOGUE = { ...LOOK, ...MEMORY, ...FLEET, ...FIND, ...COST, ...CHANGE, ...SET_UP };

export type Catalogue = typeof CATALOGUE;
export type CommandName = keyof Catalogue;

const GROUPS: Readonly<Record<string, CommandGroup>> = {
	Look: { ...LOOK, ...MEMORY, ...FLEET },
	Find: FIND,
	Cost: COST,
	Change: CHANGE,
	"Set up": SET_UP,
};

export interface NamedCommand extends CommandSpec {
	readonly name: CommandName;
	/** The heading under which the help lists it. */
	readonly group: string;
}

export const COMMANDS: readonly NamedCommand[] = Object.entries(GROUPS).flatMap(([group, commands]) =>
	Object.entries(commands).map(([name, spec]) => ({ ...spec, name: name as CommandName, group })),
);

/** `weft` alone. */
export const DEFAULT_COMMAND: CommandName = "status";

export function commandSpec(name: CommandName): CommandSpec {
	return CATALOGUE[name];
}
