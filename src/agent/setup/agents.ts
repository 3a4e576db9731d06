/** The agents that weft can be set up in, and those that it can start. */
import { EngineError } from "../../base/error/engine-error.ts";
import { claudeSetup } from "./claude.ts";
import { codexSetup } from "./codex.ts";
import { opencodeSetup } from "./opencode.ts";
import { piProgram } from "./pi.ts";
import type { AgentProgram, AgentSetup } from "./setup.ts";

export const AGENTS: readonly AgentSetup[] = [claudeSetup, codexSetup, opencodeSetup];
const PROGRAMS: readonly AgentProgram[] = [...AGENTS, piProgram];

export function findAgent(name: string): AgentSetup {
	return find(AGENTS, name);
}

export function findAgentProgram(name: string): AgentProgram {
	return find(PROGRAMS, name);
}

function find<Agent extends AgentProgram>(agents: readonly Agent[], name: string): Agent {
	const agent = agents.find((each) => each.name === name);
	if (agent) return agent;
	const names = agents.map((each) => each.name);
	throw new EngineError(
		"usage",
		`Unknown agent '${name}'. Choose ${names.slice(0, -1).join(", ")} or ${names.at(-1)}.`,
	);
}
