/** `weft mcp`: the history of the project for an agent that speaks MCP. stdout is the protocol's; we speak on stderr. */
import { ClaudeCodeLive } from "../../hosts/claude-code/live.ts";
import { faultOf } from "../../hosts/door.ts";
import type { LiveHost } from "../../hosts/live-host.ts";
import { type OpenedForAgent, openForAgent } from "../../hosts/open-for-agent.ts";
import type { Context } from "../context.ts";
import { weftVersion } from "../version.ts";

export async function run(context: Context): Promise<void> {
	const { env, home } = context;
	const isClaude = Boolean(env["CLAUDE_CODE_SESSION_ID"]);
	const cwd = context.projectGiven ? context.folder : env["CLAUDE_PROJECT_DIR"] || context.folder;
	const host = isClaude ? "claude-code" : "mcp";
	const opened = openForAgent({
		cwd,
		env,
		home,
		host,
		canChangeInput: isClaude,
		warn: (text) => context.out.talk(text),
	});
	const onFault = (where: string, error: unknown) => {
		const fault = faultOf(where, error);
		if (!opened.record(fault)) context.out.talk(`weft: ${fault.message} (${where})`);
	};
	const { serveMcp } = await import("../../hosts/mcp/serve.ts");
	try {
		const live = isClaude ? hostOf(opened, { env, cwd }) : undefined;
		await serveMcp({ version: weftVersion(), open: opened.engine, host: live, onFault });
	} finally {
		opened.close();
	}
}

function hostOf({ engine, record }: OpenedForAgent, place: { env: NodeJS.ProcessEnv; cwd: string }): LiveHost {
	return new ClaudeCodeLive({ ...place, open: engine, record });
}
