/** The agents in which `weft init` and `weft run` work. Their readers are in `agents.ts`: to start an agent takes none. */
import { EngineError } from "../base/error/engine-error.ts";
import { claudeSetup } from "./claude-code/setup.ts";
import { codexSetup } from "./codex/setup.ts";
import { opencodeSetup } from "./opencode/setup.ts";
import { piProgram } from "./pi/setup.ts";
import type { AgentProgram, AgentSetup } from "./setup/contract.ts";

/** Its gateway runs for weeks, so there is nothing to start for one session either. */
const OPENCLAW_INSTALLS =
	"OpenClaw installs weft as a plugin: 'npm pack weft-context', then 'openclaw plugins install npm-pack:./FILE.tgz --force'.";

/** In alphabetical order, as `weft init` shows them. */
export const SETUPS: readonly AgentSetup[] = [claudeSetup, codexSetup, opencodeSetup];

/** Pi installs weft itself, so `weft init` has no setup for it. */
const PROGRAMS: readonly AgentProgram[] = [...SETUPS, piProgram];

export function findSetup(name: string): AgentSetup {
	const { title, installsWeftBy } = PROGRAMS.find((each) => each.name === name) ?? {};
	if (installsWeftBy !== undefined)
		throw new EngineError("usage", `${title} installs weft by itself. Run '${installsWeftBy}'.`);
	return findByName(SETUPS, name);
}

/** An agent for `weft run`. */
export function findProgramOf(name: string): AgentProgram {
	return findByName(PROGRAMS, name);
}

function findByName<Program extends AgentProgram>(programs: readonly Program[], name: string): Program {
	const program = programs.find((each) => each.name === name);
	if (program) return program;
	if (name === "openclaw") throw new EngineError("usage", OPENCLAW_INSTALLS);
	const names = programs.map((each) => each.name).join(", ");
	throw new EngineError("usage", `Unknown agent '${name}'. Choose one of: ${names}.`);
}
