/** The project behind `weft mcp`, for the agent that started it. stdout belongs to the protocol; messages go to stderr. */

import { ClaudeCodeLive } from "../../../agent/claude-code/live.ts";
import { CLAUDE_CODE_PORT } from "../../../agent/claude-code/port.ts";
import { CodexMcpSession } from "../../../agent/codex/mcp-session.ts";
import { codexReader } from "../../../agent/codex/reader.ts";
import { openAgentEngine } from "../../../agent/live/agent-engine.ts";
import { LiveSessionFiles } from "../../../agent/live/live-session-files.ts";
import type { McpProject } from "../../../agent/mcp/calls.ts";
import { watchingPort } from "../../../agent/port.ts";
import type { Context } from "../context.ts";

export function connectMcp(context: Context): McpProject {
	return context.env["CLAUDE_CODE_SESSION_ID"] ? connectClaudeCode(context) : connectOther(context);
}

function connectClaudeCode({ env, home, folder, projectGiven }: Context): McpProject {
	const cwd = projectGiven ? folder : env["CLAUDE_PROJECT_DIR"] || folder;
	const opened = openAgentEngine({ port: CLAUDE_CODE_PORT, cwd, env, home, warn: (notice) => host.notify(notice) });
	const host: ClaudeCodeLive = new ClaudeCodeLive({ env, cwd, opened });
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

function connectOther({ env, home, folder: cwd, out }: Context): McpProject {
	const warn = (text: string) => out.talk(text);
	const port = watchingPort("mcp", "The agent");
	const files = new LiveSessionFiles({ readers: [codexReader], env, home, cwd, port, warn });
	const onFault = (where: string, error: unknown) => files.doorFor(cwd).fail(where, error);
	const host = new CodexMcpSession(files, onFault);
	return { open: () => files.engineFor(cwd), host, onFault, end: () => host.end() };
}
