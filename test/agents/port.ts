/** What each agent's program lets weft do, as the suite expects it. */
export const AGENT_NAMES = ["pi", "claude-code", "codex", "opencode", "openclaw"] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

export interface PortFacts {
	/** Which part of a request weft makes: all messages, a seed at the agent's own compaction, nothing. */
	readonly makes: "messages" | "seed" | "nothing";
	/** The guard sees calls before and after they run. */
	readonly hasGuard: boolean;
	/** How a note reaches the model. */
	readonly note: "in the output" | "beside" | "either" | "none";
	/** An output that is too long can be replaced. */
	readonly canReplaceOutput: boolean;
	readonly canChangeInput: boolean;
	/** Text can be put before the user's words, or beside them. */
	readonly canRecall: boolean;
	/** SESSION.md and HISTORY.md are kept. */
	readonly keepsMemory: boolean;
	/** The agent says when a session ends. */
	readonly tellsEnd: boolean;
	/** The user can change the mode while a session runs. */
	readonly canSwitchMode: boolean;
	/** The agent reads files with shell commands. */
	readonly readsByShell: boolean;
	/** As the agent names them. */
	readonly tools: { readonly read: string; readonly shell: string; readonly path: string };
}

export const PORTS: Readonly<Record<AgentName, PortFacts>> = {
	pi: {
		makes: "messages",
		hasGuard: true,
		note: "in the output",
		canReplaceOutput: true,
		canChangeInput: true,
		canRecall: true,
		keepsMemory: true,
		tellsEnd: true,
		canSwitchMode: true,
		readsByShell: false,
		tools: { read: "read", shell: "bash", path: "path" },
	},
	"claude-code": {
		makes: "seed",
		hasGuard: true,
		note: "beside",
		canReplaceOutput: true,
		canChangeInput: true,
		canRecall: true,
		keepsMemory: true,
		tellsEnd: true,
		canSwitchMode: false,
		readsByShell: false,
		tools: { read: "Read", shell: "Bash", path: "file_path" },
	},
	codex: {
		makes: "nothing",
		hasGuard: true,
		note: "either",
		canReplaceOutput: true,
		canChangeInput: false,
		canRecall: false,
		keepsMemory: false,
		tellsEnd: true,
		canSwitchMode: false,
		readsByShell: true,
		tools: { read: "Bash", shell: "Bash", path: "command" },
	},
	opencode: {
		makes: "messages",
		hasGuard: true,
		note: "in the output",
		canReplaceOutput: true,
		canChangeInput: false,
		canRecall: false,
		keepsMemory: false,
		tellsEnd: true,
		canSwitchMode: false,
		readsByShell: false,
		tools: { read: "read", shell: "bash", path: "filePath" },
	},
	openclaw: {
		makes: "messages",
		hasGuard: false,
		note: "none",
		canReplaceOutput: false,
		canChangeInput: false,
		canRecall: true,
		keepsMemory: true,
		tellsEnd: false,
		canSwitchMode: false,
		readsByShell: false,
		tools: { read: "read", shell: "exec", path: "path" },
	},
};
