/** How the agent of a recorded session shows the text that opens an epoch. The context floor knows no agent, so callers hand it in. */

import type { OpeningRole } from "../context/plan.ts";
import { CLAUDE_CODE_PORT } from "./claude-code/port.ts";
import { CODEX_PORT } from "./codex/port.ts";
import { OPENCLAW_PORT } from "./openclaw/port.ts";
import { OPENCODE_PORT } from "./opencode/port.ts";
import { PI_PORT } from "./pi/port.ts";

const PORTS = [CLAUDE_CODE_PORT, CODEX_PORT, OPENCLAW_PORT, OPENCODE_PORT, PI_PORT];

/** Undefined: as a message of the user. */
export function openingRoleOf(host: string): OpeningRole | undefined {
	const port = PORTS.find(({ name }) => name === host);
	return port?.seals === "compaction" ? "compactionSummary" : undefined;
}
