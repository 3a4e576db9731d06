/**
 * All agents that weft knows. The shared rooms (`live`, `recorded`, `setup`, `mcp`, `proxy`) import no agent: their callers
 * hand them what they need from this list. No agent's folder imports it either.
 */
import { EngineError } from "../base/error/engine-error.ts";
import { claudeCodeReader } from "./claude-code/reader.ts";
import { claudeSetup } from "./claude-code/setup.ts";
import { clineReader } from "./cline/reader.ts";
import { codexReader } from "./codex/reader.ts";
import { codexSetup } from "./codex/setup.ts";
import { continueReader } from "./continue/reader.ts";
import { copilotReader } from "./copilot/reader.ts";
import { geminiReader } from "./gemini/reader.ts";
import { openclawReader } from "./openclaw/reader.ts";
import { kiloReader, opencodeReader } from "./opencode/reader.ts";
import { opencodeSetup } from "./opencode/setup.ts";
import { piReader } from "./pi/reader.ts";
import { qwenReader } from "./qwen/reader.ts";
import type { SessionReader } from "./recorded/session-reader.ts";
import type { AgentSetup } from "./setup/contract.ts";

interface Agent {
	readonly reader: SessionReader;
	/** For an agent in which `weft init` and `weft run` work. */
	readonly setup?: AgentSetup | undefined;
}

/** Readers that recognise their files for certain come first. */
const AGENTS: readonly Agent[] = [
	{ reader: piReader },
	{ reader: codexReader, setup: codexSetup },
	{ reader: geminiReader },
	{ reader: copilotReader },
	{ reader: qwenReader },
	{ reader: claudeCodeReader, setup: claudeSetup },
	{ reader: opencodeReader, setup: opencodeSetup },
	{ reader: kiloReader },
	{ reader: openclawReader },
	{ reader: clineReader },
	{ reader: continueReader },
];

export const READERS: readonly SessionReader[] = AGENTS.map(({ reader }) => reader);

/** In alphabetical order, as `weft init` shows them. */
export const SETUPS: readonly AgentSetup[] = AGENTS.flatMap(({ setup }) => setup ?? []).sort((one, other) =>
	one.name < other.name ? -1 : 1,
);

export function findSetup(name: string): AgentSetup {
	const setup = SETUPS.find((each) => each.name === name);
	if (setup) return setup;
	const names = SETUPS.map((each) => each.name).join(", ");
	throw new EngineError("usage", `Unknown agent '${name}'. Choose one of: ${names}.`);
}
