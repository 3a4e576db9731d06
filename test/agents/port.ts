/** What the suite knows of each agent: its port, and facts of the program that concern only a script. */
import { CLAUDE_CODE_PORT } from "../../src/agent/claude-code/port.ts";
import { CODEX_PORT } from "../../src/agent/codex/port.ts";
import { OPENCLAW_PORT } from "../../src/agent/openclaw/port.ts";
import { OPENCODE_PORT } from "../../src/agent/opencode/port.ts";
import { PI_PORT } from "../../src/agent/pi/port.ts";
import type { AgentPort } from "../../src/agent/port.ts";

export const AGENT_NAMES = ["pi", "claude-code", "codex", "codex-resident", "opencode", "openclaw"] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

export interface PortFacts extends AgentPort {
	/** The agent says when a session ends. */
	readonly tellsEnd: boolean;
	/** The user can change the mode while a session runs. */
	readonly canSwitchMode: boolean;
	/** The user's words are recorded before the request that carries them is made. */
	readonly recordsPromptFirst: boolean;
	/** The agent reads files with shell commands. */
	readonly readsByShell: boolean;
	/** The agent hands over a turn's messages when the turn is done, so a result cannot be compared with those before it. */
	readonly recordsLate?: true;
	/** As the agent names them. */
	readonly tools: { readonly read: string; readonly path: string };
}

const CODEX: PortFacts = {
	...CODEX_PORT,
	tellsEnd: true,
	canSwitchMode: false,
	recordsPromptFirst: true,
	readsByShell: true,
	tools: { read: "exec_command", path: "command" },
};

export const PORTS: Readonly<Record<AgentName, PortFacts>> = {
	pi: {
		...PI_PORT,
		tellsEnd: true,
		canSwitchMode: true,
		recordsPromptFirst: true,
		readsByShell: false,
		tools: { read: "read", path: "path" },
	},
	"claude-code": {
		...CLAUDE_CODE_PORT,
		tellsEnd: true,
		canSwitchMode: false,
		recordsPromptFirst: true,
		readsByShell: false,
		tools: { read: "Read", path: "file_path" },
	},
	codex: CODEX,
	/** Codex with hooks that a resident answers. */
	"codex-resident": CODEX,
	opencode: {
		...OPENCODE_PORT,
		tellsEnd: true,
		canSwitchMode: false,
		recordsPromptFirst: true,
		readsByShell: false,
		tools: { read: "read", path: "filePath" },
	},
	openclaw: {
		...OPENCLAW_PORT,
		tellsEnd: false,
		canSwitchMode: false,
		recordsPromptFirst: false,
		recordsLate: true,
		readsByShell: false,
		tools: { read: "read", path: "path" },
	},
};
