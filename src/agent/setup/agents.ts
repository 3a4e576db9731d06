/** The agents that weft can be set up in. */
import { EngineError } from "../../base/error/engine-error.ts";
import { claudeSetup } from "./claude.ts";
import { codexSetup } from "./codex.ts";
import { opencodeSetup } from "./opencode.ts";
import type { AgentSetup } from "./setup.ts";

export const AGENTS: readonly AgentSetup[] = [claudeSetup, codexSetup, opencodeSetup];

export function findAgent(name: string): AgentSetup {
	const agent = AGENTS.find((each) => each.name === name);
	if (agent) return agent;
	const names = AGENTS.map((each) => each.name).join(", ");
	throw new EngineError("usage", `There is no agent '${name}'. Those that weft can be set up in: ${names}.`);
}
