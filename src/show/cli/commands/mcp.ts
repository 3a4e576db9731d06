/** The project behind `weft mcp`, for the agent that started it: in that process, or in the resident. */

import { ClaudeCodeLive } from "../../../agent/claude-code/live.ts";
import { CLAUDE_CODE_PORT } from "../../../agent/claude-code/port.ts";
import { CodexMcpSession } from "../../../agent/codex/mcp-session.ts";
import { codexReader } from "../../../agent/codex/reader.ts";
import { openAgentEngine } from "../../../agent/live/agent-engine.ts";
import { LiveSessionFiles } from "../../../agent/live/live-session-files.ts";
import { type McpProject, mcpCalls } from "../../../agent/mcp/calls.ts";
import { watchingPort } from "../../../agent/port.ts";
import type { AgentCalls } from "../../../agent/resident/call-lines.ts";

/** The process that the agent has started. */
export interface AgentProcess {
	readonly env: NodeJS.ProcessEnv;
	/** `--home`. */
	readonly home: string | undefined;
	/** Where the agent works. */
	readonly cwd: string;
	readonly pid: number;
	/** For what has no place in an answer. */
	readonly warn: (text: string) => void;
}

export function connectMcp(process: AgentProcess): AgentCalls {
	return mcpCalls(process.env["CLAUDE_CODE_SESSION_ID"] ? connectClaudeCode(process) : connectOther(process));
}

function connectClaudeCode({ env, home, cwd, pid }: AgentProcess): McpProject {
	const opened = openAgentEngine({ port: CLAUDE_CODE_PORT, cwd, env, home, warn: (notice) => host.notify(notice) });
	const host: ClaudeCodeLive = new ClaudeCodeLive({ env, cwd, pid, opened });
	return {
		open: opened.engine,
		host,
		onFault: (where, error) => opened.door.fail(where, error),
		end: async () => {
			await host.end();
			opened.close();
		},
	};
}

function connectOther({ env, home, cwd, warn }: AgentProcess): McpProject {
	const port = watchingPort("mcp", "The agent");
	const files = new LiveSessionFiles({ readers: [codexReader], env, home, cwd, port, warn });
	const onFault = (where: string, error: unknown) => files.doorFor(cwd).fail(where, error);
	const host = new CodexMcpSession(files, onFault);
	return { open: () => files.engineFor(cwd), host, onFault, end: () => host.end() };
}
