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
import { piProgram } from "./pi/setup.ts";
import { qwenReader } from "./qwen/reader.ts";
import type { SessionReader } from "./recorded/session-reader.ts";
import type { AgentProgram, AgentSetup } from "./setup/contract.ts";

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

/** `host`: of a session in the log. Undefined: no reader makes sessions of that name. */
export function readerOf(host: string | undefined): SessionReader | undefined {
	return READERS.find(({ kind }) => kind === host);
}

/** In alphabetical order, as `weft init` shows them. */
export const SETUPS: readonly AgentSetup[] = AGENTS.flatMap(({ setup }) => setup ?? []).sort((one, other) =>
	one.name < other.name ? -1 : 1,
);

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
	const names = programs.map((each) => each.name).join(", ");
	throw new EngineError("usage", `Unknown agent '${name}'. Choose one of: ${names}.`);
}
