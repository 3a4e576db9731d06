/** Serves the project's history over MCP. stdout belongs to the protocol; messages go to stderr. */

import { ClaudeCodeLive } from "../../../agent/claude-code/live.ts";
import { CLAUDE_CODE_PORT } from "../../../agent/claude-code/port.ts";
import { CodexMcpSession } from "../../../agent/codex/mcp-session.ts";
import { codexReader } from "../../../agent/codex/reader.ts";
import { openAgentEngine } from "../../../agent/live/agent-engine.ts";
import { type Fault, faultOf } from "../../../agent/live/door.ts";
import { LiveSessionFiles } from "../../../agent/live/live-session-files.ts";
import { watchingPort } from "../../../agent/port.ts";
import { ownVersion } from "../../../base/file/package-file.ts";
import type { Call } from "../frame.ts";

export async function run({ context }: Call<"mcp">): Promise<void> {
	const { env, home } = context;
	const { serveMcp } = await import("../../../agent/mcp/server.ts");
	const version = ownVersion();
	const warn = (text: string) => context.out.talk(text);
	const tell = (fault: Fault) => warn(`weft: ${fault.message} (${fault.where})`);
	if (!env["CLAUDE_CODE_SESSION_ID"]) {
		const onFault = (where: string, error: unknown) => tell(faultOf(where, error));
		const cwd = context.folder;
		const port = watchingPort("mcp", "The agent");
		const files = new LiveSessionFiles({ readers: [codexReader], env, home, cwd, port, warn });
		const host = new CodexMcpSession(files, onFault);
		return serveMcp({ version, open: () => files.engineFor(cwd), host, onFault });
	}
	const cwd = context.projectGiven ? context.folder : env["CLAUDE_PROJECT_DIR"] || context.folder;
	const opened = openAgentEngine({ port: CLAUDE_CODE_PORT, cwd, env, home, warn: (notice) => host.notify(notice) });
	const host: ClaudeCodeLive = new ClaudeCodeLive({ env, cwd, opened });
	try {
		const onFault = (where: string, error: unknown) => opened.door.fail(where, error);
		await serveMcp({ version, open: opened.engine, host, onFault });
	} finally {
		opened.close();
	}
}
