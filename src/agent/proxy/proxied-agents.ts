/** Facts about each agent that the proxy serves. */
import { claudeCodeWire } from "./claude-code-wire.ts";
import { codexWire } from "./codex-wire.ts";
import type { Wire } from "./wire.ts";

export type Proxied = "claude" | "codex" | "other";

export interface AgentFacts {
	readonly upstream: (env: NodeJS.ProcessEnv) => string;
	readonly wires: readonly Wire[];
	/** Tokens above which it compacts by itself. */
	readonly threshold: (env: NodeJS.ProcessEnv) => number;
	/** It also compacts this many tokens below the window of the model. */
	readonly reserve?: number | undefined;
	/** Versions that were tested with weft. */
	readonly tested: readonly string[];
}

/** Claude Code compacts this far below its window. */
const CLAUDE_RESERVE_TOKENS = 33_000;
const CLAUDE_WINDOW_TOKENS = 1_000_000;
/** Nine tenths of the window of gpt-5.5. */
const CODEX_THRESHOLD_TOKENS = 244_800;

export const AGENTS: Readonly<Record<Proxied, AgentFacts>> = {
	claude: {
		upstream: (env) => env["ANTHROPIC_BASE_URL"] || "https://api.anthropic.com",
		wires: [claudeCodeWire],
		threshold: (env) =>
			(Number(env["CLAUDE_CODE_AUTO_COMPACT_WINDOW"]) || CLAUDE_WINDOW_TOKENS) - CLAUDE_RESERVE_TOKENS,
		reserve: CLAUDE_RESERVE_TOKENS,
		tested: ["2.1.325"],
	},
	codex: {
		upstream: () => "https://api.openai.com",
		wires: [codexWire],
		threshold: () => CODEX_THRESHOLD_TOKENS,
		tested: ["0.166.0"],
	},
	other: { upstream: () => "", wires: [], threshold: () => 0, tested: [] },
};
