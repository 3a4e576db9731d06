/** `weft mcp`: the history of the project for an agent that speaks MCP. stdout is the protocol's; we speak on stderr. */
import { faultOf } from "../../hosts/door.ts";
import { openForAgent } from "../../hosts/open-for-agent.ts";
import type { Context } from "../context.ts";
import { weftVersion } from "../version.ts";

export async function run(context: Context): Promise<void> {
	const { env } = context;
	const cwd = context.projectGiven ? context.folder : env["CLAUDE_PROJECT_DIR"] || context.folder;
	const opened = openForAgent({ cwd, env, home: context.home, host: "mcp", warn: (text) => context.out.talk(text) });
	const onFault = (where: string, error: unknown) => {
		const fault = faultOf(where, error);
		if (!opened.record(fault)) context.out.talk(`weft: ${fault.message} (${where})`);
	};
	const { serveMcp } = await import("../../hosts/mcp/serve.ts");
	try {
		await serveMcp({ version: weftVersion(), open: opened.engine, onFault });
	} finally {
		opened.close();
	}
}
